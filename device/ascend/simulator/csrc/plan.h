/*
 * What libnnopbase.so offers the operators: reading what a program describes, checking
 * it in the documented order, and turning it into an executor.
 */
#ifndef ASCENDSIM_PLAN_H
#define ASCENDSIM_PLAN_H

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "sim.h"

enum {
    SIM_MAX_DIMS = 25, /* that a tensor can have */
    SIM_MAX_RANK = 8,  /* that an operator takes */
    SIM_MAX_OPERANDS = 16,
    SIM_MAX_NUMBERS = 8 /* scalar arguments of an operator */
};

enum {
    ACLNN_ERR_PARAM_NULLPTR = 161001,
    ACLNN_ERR_PARAM_INVALID = 161002,
    ACLNN_ERR_INNER = 561000,
    ACLNN_ERR_INNER_CREATE_EXECUTOR = 561101,
    ACLNN_ERR_INNER_NULLPTR = 561103
};

struct simShape {
    int rank;
    int64_t dims[SIM_MAX_DIMS];
};

/* A strided tensor: element (i, j, …) is offset + i·strides[0] + j·strides[1] + … elements from data. */
struct simView {
    aclDataType type;
    struct simShape shape;
    int64_t strides[SIM_MAX_DIMS];
    int64_t offset;
    char *data; /* a device address; the library's own once the plan runs */
};

struct simOperand {
    const char *name;
    const aclTensor *tensor; /* a handle; NULL for an optional argument that is missing */
    struct simView view;     /* as the program described it */
    struct simView walked;   /* what the kernel walks: the view broadcast to the plan's shape */
    aclFormat format;
    bool output;
    int parameter; /* of the C function, counting its tensors; one that is overwritten is two operands */
};

/* An operator with all its arguments: what an executor holds and a stream runs. */
struct simPlan {
    const char *name;
    const void *context; /* the handle of the one that it was made in */
    void (*kernel)(const struct simPlan *plan);
    void (*loop)(const struct simPlan *plan, int n, double *const x[]); /* of element-wise kernels: see elementwise.c */
    int operands, inputs;                                               /* inputs come first */
    int parameters;
    struct simOperand operand[SIM_MAX_OPERANDS];
    struct simShape shape; /* of the walk */
    double number[SIM_MAX_NUMBERS];
    int numbers;
    int64_t integer[4]; /* integer arguments of an operator */
    int64_t reduction;
    bool reduced[SIM_MAX_RANK]; /* the dimensions that a reduction sums over */
    bool empty;                 /* there is nothing to do */
    uint64_t workspaceSize;
};

/* ---- tensor.c, scalar.c, array.c: what handles stand for, copied while they are live ---- */

SIM_SHARED bool simReadTensor(const aclTensor *tensor, struct simView *view, aclFormat *format);
SIM_SHARED bool simReadScalar(const aclScalar *scalar, double *value, aclDataType *type);
/* Copies at most room numbers. */
SIM_SHARED bool simReadIntArray(const aclIntArray *array, int64_t *values, uint64_t room, uint64_t *size);

/* ---- shape.c ---- */

SIM_SHARED int64_t simCountElements(const struct simShape *shape);
SIM_SHARED bool simSameShape(const struct simShape *a, const struct simShape *b);
/* Broadcasts into with other, right-aligned: equal, or one of them 1. False if they do not fit. */
SIM_SHARED bool simBroadcast(struct simShape *into, const struct simShape *other);
SIM_SHARED bool simContiguous(const struct simView *view);
/* The view with broadcast dimensions as strides of 0; its shape must broadcast to shape. */
SIM_SHARED struct simView simExpand(const struct simView *view, const struct simShape *shape);
/* Writes a shape as "[2, 3]". */
enum { SIM_SHAPE_TEXT = 192 };
SIM_SHARED const char *simShapeText(const struct simShape *shape, char text[SIM_SHAPE_TEXT]);
SIM_SHARED const char *simTypeName(aclDataType type);

/* ---- planner.c: phase one, one check after the other ---- */

/* Sets of data types. */
enum {
    SIM_FLOATS = 1 << 0, /* FLOAT, FLOAT16, BF16 */
    SIM_INTS = 1 << 1,   /* INT8, INT16, INT32, INT64, UINT8 */
    SIM_REST = 1 << 2,   /* BOOL, DOUBLE, UINT16, UINT32, UINT64 */
    SIM_BOOL = 1 << 3,   /* BOOL */
    SIM_NUMBERS = SIM_FLOATS | SIM_INTS,
    SIM_ALL = SIM_NUMBERS | SIM_REST
};

/* A plan being made. The first failure is kept, and every later step does nothing. */
struct simPlanner {
    aclnnStatus status;
    uint64_t *workspaceSize;
    aclOpExecutor **executor;
    struct simPlan plan;
    uint64_t scratch; /* bytes of intermediates beside conversions */
};

SIM_SHARED void simBegin(struct simPlanner *p, const char *name, uint64_t *workspaceSize, aclOpExecutor **executor);
/* Arguments, in the order in which a NULL is to be found. */
SIM_SHARED void simInput(struct simPlanner *p, const char *name, const aclTensor *tensor);
SIM_SHARED void simOptionalInput(struct simPlanner *p, const char *name, const aclTensor *tensor);
SIM_SHARED void simOutput(struct simPlanner *p, const char *name, const aclTensor *tensor);
SIM_SHARED void simNumber(struct simPlanner *p, const char *name, const aclScalar *scalar);
/* Checks. */
SIM_SHARED void simCheckType(struct simPlanner *p, int operand, int types);
SIM_SHARED void simCheckTypes(struct simPlanner *p, int types); /* of all operands, in order */
SIM_SHARED void simCheckRanks(struct simPlanner *p);            /* of the inputs */
SIM_SHARED void simBroadcastInputs(struct simPlanner *p);       /* makes the plan's shape */
SIM_SHARED void simCheckShape(struct simPlanner *p, int operand, const struct simShape *shape);
SIM_SHARED void simCheckStorable(struct simPlanner *p, int operand, aclDataType from);
SIM_SHARED aclDataType simPromoted(const struct simPlanner *p); /* of the inputs */
/* Fails with 161002 and a sentence about an operand. */
SIM_SHARED void simRefuse(struct simPlanner *p, const char *operand, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Expands every operand to the plan's shape for the kernel. */
SIM_SHARED void simWalk(struct simPlanner *p);
/* Ends phase one with an executor. */
SIM_SHARED aclnnStatus simFinish(struct simPlanner *p, void (*kernel)(const struct simPlan *plan));

/* ---- executor.c: phase two ---- */

SIM_SHARED aclOpExecutor *simNewExecutor(const struct simPlan *plan);
SIM_SHARED aclnnStatus simLaunch(const char *name, void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#endif
