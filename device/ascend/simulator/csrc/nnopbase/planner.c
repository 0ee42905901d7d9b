/*
 * Phase one, step by step. The order of the steps is the order in which CANN documents
 * the checks: NULL, data type, rank, broadcast, shape of the output.
 */
#include "../plan.h"

#include <stdio.h>
#include <string.h>

void simBegin(struct simPlanner *p, const char *name, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    memset(p, 0, sizeof *p);
    p->plan.name = name;
    p->workspaceSize = workspaceSize;
    p->executor = executor;
    bool fails = simCount(SIM_PLAN);
    if (workspaceSize == NULL || executor == NULL)
        p->status = simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", name,
                            workspaceSize == NULL ? "workspaceSize" : "executor");
    else if (simLost()) p->status = simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", name);
    else if (!simInitialised())
        p->status = simFail(ACL_ERROR_UNINITIALIZE, "%s: neither aclInit nor aclnnInit has been called", name);
    else if ((p->plan.context = simCurrentContext(name, &p->status)) == NULL) return;
    else if (fails) p->status = simFail(ACLNN_ERR_INNER_NULLPTR, "%s: this phase one was to fail", name);
}

void simRefuse(struct simPlanner *p, const char *operand, const char *format, ...)
{
    if (p->status != 0) return;
    char sentence[SIM_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    p->status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: %s: %s", p->plan.name, operand, sentence);
}

/* An operator that works in place has one parameter for self and out. */
static const char *parameterName(const struct simPlanner *p, const char *name)
{
    bool inPlace = strncmp(p->plan.name, "aclnnInplace", 12) == 0;
    return inPlace && (strcmp(name, "self") == 0 || strcmp(name, "out") == 0) ? "selfRef" : name;
}

static void addOperand(struct simPlanner *p, const char *name, const aclTensor *tensor, bool output, bool optional)
{
    name = parameterName(p, name);
    struct simOperand *operand = &p->plan.operand[p->plan.operands++];
    operand->name = name;
    operand->tensor = tensor;
    operand->output = output;
    operand->parameter = -1;
    for (const struct simOperand *o = p->plan.operand; o < operand; o++) {
        if (strcmp(o->name, name) == 0) operand->parameter = o->parameter;
    }
    if (operand->parameter < 0) operand->parameter = p->plan.parameters++;
    if (!output) p->plan.inputs++;
    if (p->status != 0) return;
    if (tensor == NULL) {
        if (!optional) p->status = simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", p->plan.name, name);
        return;
    }
    if (!simReadTensor(tensor, &operand->view, &operand->format))
        simRefuse(p, name, "%p is no live tensor", (const void *)tensor);
    operand->walked = operand->view;
}

void simInput(struct simPlanner *p, const char *name, const aclTensor *tensor)
{
    addOperand(p, name, tensor, false, false);
}

void simOptionalInput(struct simPlanner *p, const char *name, const aclTensor *tensor)
{
    addOperand(p, name, tensor, false, true);
}

void simOutput(struct simPlanner *p, const char *name, const aclTensor *tensor)
{
    addOperand(p, name, tensor, true, false);
}

void simNumber(struct simPlanner *p, const char *name, const aclScalar *scalar)
{
    int i = p->plan.numbers++;
    if (p->status != 0) return;
    aclDataType type;
    if (scalar == NULL) p->status = simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL", p->plan.name, name);
    else if (!simReadScalar(scalar, &p->plan.number[i], &type))
        simRefuse(p, name, "%p is no live scalar", (const void *)scalar);
}

static int setOf(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16: return SIM_FLOATS;
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT8: return SIM_INTS;
    case ACL_BOOL: return SIM_REST | SIM_BOOL;
    case ACL_DOUBLE:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64: return SIM_REST;
    default: return 0;
    }
}

void simCheckType(struct simPlanner *p, int operand, int types)
{
    const struct simOperand *o = &p->plan.operand[operand];
    if (p->status != 0 || o->tensor == NULL) return;
    if ((setOf(o->view.type) & types) == 0)
        simRefuse(p, o->name, "%s is not implemented; it takes%s%s%s", simTypeName(o->view.type),
                  types & SIM_FLOATS ? " FLOAT, FLOAT16, BFLOAT16" : "",
                  types & SIM_INTS ? " or an integer of 8 to 64 bits" : "",
                  types & (SIM_BOOL | SIM_REST) ? " BOOL" : "");
    else if (o->view.type == ACL_BF16 && simSwitchedOn(SIM_NO_BF16))
        simRefuse(p, o->name, "BFLOAT16 is not implemented on this chip");
}

void simCheckTypes(struct simPlanner *p, int types)
{
    for (int i = 0; i < p->plan.operands; i++) simCheckType(p, i, types);
}

void simCheckRanks(struct simPlanner *p)
{
    for (int i = 0; i < p->plan.inputs && p->status == 0; i++) {
        const struct simOperand *o = &p->plan.operand[i];
        if (o->tensor != NULL && o->view.shape.rank > SIM_MAX_RANK)
            simRefuse(p, o->name, "%d dimensions are more than %d", o->view.shape.rank, SIM_MAX_RANK);
    }
}

void simBroadcastInputs(struct simPlanner *p)
{
    struct simShape *shape = &p->plan.shape;
    shape->rank = 0;
    for (int i = 0; i < p->plan.inputs && p->status == 0; i++) {
        const struct simOperand *o = &p->plan.operand[i];
        struct simShape before = *shape;
        if (o->tensor == NULL || simBroadcast(shape, &o->view.shape)) continue;
        char a[SIM_SHAPE_TEXT], b[SIM_SHAPE_TEXT];
        simRefuse(p, o->name, "the shape %s does not broadcast with %s of what comes before it",
                  simShapeText(&o->view.shape, a), simShapeText(&before, b));
    }
}

void simCheckShape(struct simPlanner *p, int operand, const struct simShape *shape)
{
    const struct simOperand *o = &p->plan.operand[operand];
    if (p->status != 0 || o->tensor == NULL || simSameShape(&o->view.shape, shape)) return;
    char a[SIM_SHAPE_TEXT], b[SIM_SHAPE_TEXT];
    simRefuse(p, o->name, "the shape is %s where %s is needed", simShapeText(&o->view.shape, a),
              simShapeText(shape, b));
}

/* The order of promotion; what is not in it counts with its nearest. */
static int precedence(aclDataType type)
{
    switch (type) {
    case ACL_BOOL: return 0;
    case ACL_UINT8: return 1;
    case ACL_INT8: return 2;
    case ACL_INT16: return 3;
    case ACL_UINT16: return 4;
    case ACL_INT32: return 5;
    case ACL_UINT32: return 6;
    case ACL_INT64: return 7;
    case ACL_UINT64: return 8;
    case ACL_FLOAT16: return 9;
    case ACL_BF16: return 10;
    case ACL_FLOAT: return 11;
    default: return 12;
    }
}

static aclDataType promote(aclDataType a, aclDataType b)
{
    aclDataType high = precedence(a) > precedence(b) ? a : b, low = high == a ? b : a;
    if (high == ACL_BF16 && low == ACL_FLOAT16) return ACL_FLOAT;
    if (high == ACL_INT8 && low == ACL_UINT8) return ACL_INT16;
    return high;
}

aclDataType simPromoted(const struct simPlanner *p)
{
    aclDataType type = ACL_BOOL;
    for (int i = 0; i < p->plan.inputs; i++) {
        if (p->plan.operand[i].tensor != NULL) type = promote(type, p->plan.operand[i].view.type);
    }
    return type;
}

void simCheckStorable(struct simPlanner *p, int operand, aclDataType from)
{
    const struct simOperand *o = &p->plan.operand[operand];
    int target = setOf(o->view.type), source = setOf(from);
    bool toFloat = (target & SIM_FLOATS) != 0 || o->view.type == ACL_DOUBLE, toBool = (target & SIM_BOOL) != 0;
    bool fromFloat = (source & SIM_FLOATS) != 0 || from == ACL_DOUBLE, fromBool = (source & SIM_BOOL) != 0;
    if ((fromFloat && !toFloat) || (toBool && !fromBool))
        simRefuse(p, o->name, "%s cannot hold a result of %s", simTypeName(o->view.type), simTypeName(from));
}

void simWalk(struct simPlanner *p)
{
    if (p->status != 0) return;
    for (int i = 0; i < p->plan.operands; i++) {
        struct simOperand *o = &p->plan.operand[i];
        if (o->tensor != NULL) o->walked = simExpand(&o->view, &p->plan.shape);
    }
    p->plan.empty = simCountElements(&p->plan.shape) == 0;
}

/* CANN's allowance for an intermediate. */
static uint64_t intermediate(uint64_t bytes) { return (bytes + 32 + 511) / 512 * 512; }

/* What CANN would need to bring the operands into the form that its kernels take: contiguous, promoted, broadcast. */
static uint64_t conversions(const struct simPlanner *p)
{
    aclDataType type = simPromoted(p);
    uint64_t total = p->scratch > 0 ? intermediate(p->scratch) : 0;
    for (int i = 0; i < p->plan.operands; i++) {
        const struct simOperand *o = &p->plan.operand[i];
        if (o->tensor == NULL) continue;
        if (o->view.type != type || !simContiguous(&o->view) || !simSameShape(&o->view.shape, &o->walked.shape))
            total += intermediate((uint64_t)simCountElements(&o->walked.shape) * aclDataTypeSize(type));
    }
    return total;
}

static bool isFormat(aclFormat format)
{
    switch (format) {
    case ACL_FORMAT_UNDEFINED:
    case ACL_FORMAT_NCHW:
    case ACL_FORMAT_NHWC:
    case ACL_FORMAT_ND:
    case ACL_FORMAT_NC1HWC0:
    case ACL_FORMAT_FRACTAL_Z:
    case ACL_FORMAT_NC1HWC0_C04:
    case ACL_FORMAT_HWCN:
    case ACL_FORMAT_NDHWC:
    case ACL_FORMAT_FRACTAL_NZ:
    case ACL_FORMAT_NCDHW:
    case ACL_FORMAT_NDC1HWC0:
    case ACL_FRACTAL_Z_3D:
    case ACL_FORMAT_NC:
    case ACL_FORMAT_NCL:
    case ACL_FORMAT_FRACTAL_NZ_C0_16:
    case ACL_FORMAT_FRACTAL_NZ_C0_32:
    case ACL_FORMAT_FRACTAL_NZ_C0_2:
    case ACL_FORMAT_FRACTAL_NZ_C0_4:
    case ACL_FORMAT_FRACTAL_NZ_C0_8: return true;
    default: return false;
    }
}

aclnnStatus simFinish(struct simPlanner *p, void (*kernel)(const struct simPlan *))
{
    for (int i = 0; i < p->plan.operands; i++) {
        const struct simOperand *o = &p->plan.operand[i];
        if (o->tensor != NULL && !isFormat(o->format)) simRefuse(p, o->name, "%d is no format", (int)o->format);
    }
    if (p->status != 0) return p->status;
    /* Numbers take the type in which the operator computes. */
    if (setOf(simPromoted(p)) == SIM_FLOATS) {
        for (int i = 0; i < SIM_MAX_NUMBERS; i++) p->plan.number[i] = (double)(float)p->plan.number[i];
    }
    p->plan.kernel = kernel;
    p->plan.workspaceSize = p->plan.empty ? 0 : conversions(p);
    aclOpExecutor *executor = simNewExecutor(&p->plan);
    if (executor == NULL)
        return simFail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: the executor cannot be made", p->plan.name);
    *p->workspaceSize = p->plan.workspaceSize;
    *p->executor = executor;
    return 0;
}
