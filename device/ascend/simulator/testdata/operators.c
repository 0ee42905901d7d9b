/*
 * Runs operators. A line of input is a case: an operator's name and its arguments,
 *
 *   t:TYPE:DIMS:STRIDES:OFFSET:BYTES   a tensor: numbers with commas, its storage in hexadecimal
 *   =N                                 the same tensor as argument N, from 0
 *   v:N:DIMS:STRIDES:OFFSET            another tensor in the memory of argument N, and of its type
 *   s:TYPE:BYTES   a:NUMBERS   i:NUMBER   f:BYTES   null     a scalar, array, integer, float, NULL
 *
 * and a line of output its result: the codes of phase one, phase two and synchronising, as far as it
 * came, then the workspace's size, then the storage of each tensor, then the error message after a |.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "aclnnop/aclnn_zero.h"
#include "ascendsim.h"

struct argument {
    aclTensor *t;
    aclScalar *s;
    aclIntArray *a;
    int64_t i;
    float f;
    void *memory;
    size_t bytes;
    int same; /* memory as this argument, or -1 */
};

struct operator_ {
    const char *name;
    int arguments;
    aclnnStatus (*plan)(const struct argument *x, uint64_t *size, aclOpExecutor **executor);
    aclnnStatus (*run)(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);
};

#define T(i_) x[i_].t
#define S(i_) x[i_].s
#define A(i_) x[i_].a
#define I(i_) x[i_].i
#define D(i_) (aclDataType) x[i_].i
#define B(i_) (x[i_].i != 0)
#define C(i_) (int8_t) x[i_].i
#define F(i_) x[i_].f

/* X(name, number of arguments, arguments…) */
#define OPERATORS(X)                                                                                               \
    X(aclnnAbs, 2, T(0), T(1))                                                                                     \
    X(aclnnErfc, 2, T(0), T(1))                                                                                    \
    X(aclnnExp, 2, T(0), T(1))                                                                                     \
    X(aclnnInplaceExp, 1, T(0))                                                                                    \
    X(aclnnLog, 2, T(0), T(1))                                                                                     \
    X(aclnnInplaceLog, 1, T(0))                                                                                    \
    X(aclnnLog1p, 2, T(0), T(1))                                                                                   \
    X(aclnnInplaceLog1p, 1, T(0))                                                                                  \
    X(aclnnNeg, 2, T(0), T(1))                                                                                     \
    X(aclnnInplaceNeg, 1, T(0))                                                                                    \
    X(aclnnRelu, 2, T(0), T(1))                                                                                    \
    X(aclnnInplaceRelu, 1, T(0))                                                                                   \
    X(aclnnSigmoid, 2, T(0), T(1))                                                                                 \
    X(aclnnInplaceSigmoid, 1, T(0))                                                                                \
    X(aclnnSign, 2, T(0), T(1))                                                                                    \
    X(aclnnSqrt, 2, T(0), T(1))                                                                                    \
    X(aclnnInplaceSqrt, 1, T(0))                                                                                   \
    X(aclnnTanh, 2, T(0), T(1))                                                                                    \
    X(aclnnInplaceTanh, 1, T(0))                                                                                   \
    X(aclnnGelu, 2, T(0), T(1))                                                                                    \
    X(aclnnAdd, 4, T(0), T(1), S(2), T(3))                                                                         \
    X(aclnnAdds, 4, T(0), S(1), S(2), T(3))                                                                        \
    X(aclnnInplaceAdd, 3, T(0), T(1), S(2))                                                                        \
    X(aclnnInplaceAdds, 3, T(0), S(1), S(2))                                                                       \
    X(aclnnSub, 4, T(0), T(1), S(2), T(3))                                                                         \
    X(aclnnSubs, 4, T(0), S(1), S(2), T(3))                                                                        \
    X(aclnnInplaceSub, 3, T(0), T(1), S(2))                                                                        \
    X(aclnnInplaceSubs, 3, T(0), S(1), S(2))                                                                       \
    X(aclnnMul, 3, T(0), T(1), T(2))                                                                               \
    X(aclnnMuls, 3, T(0), S(1), T(2))                                                                              \
    X(aclnnInplaceMul, 2, T(0), T(1))                                                                              \
    X(aclnnInplaceMuls, 2, T(0), S(1))                                                                             \
    X(aclnnDiv, 3, T(0), T(1), T(2))                                                                               \
    X(aclnnDivs, 3, T(0), S(1), T(2))                                                                              \
    X(aclnnInplaceDiv, 2, T(0), T(1))                                                                              \
    X(aclnnInplaceDivs, 2, T(0), S(1))                                                                             \
    X(aclnnDivMod, 4, T(0), T(1), (int)I(2), T(3))                                                                 \
    X(aclnnMaximum, 3, T(0), T(1), T(2))                                                                           \
    X(aclnnGtTensor, 3, T(0), T(1), T(2))                                                                          \
    X(aclnnEqTensor, 3, T(0), T(1), T(2))                                                                          \
    X(aclnnGtScalar, 3, T(0), S(1), T(2))                                                                          \
    X(aclnnEqScalar, 3, T(0), S(1), T(2))                                                                          \
    X(aclnnSWhere, 4, T(0), T(1), T(2), T(3))                                                                      \
    X(aclnnLeakyRelu, 3, T(0), S(1), T(2))                                                                         \
    X(aclnnLeakyReluBackward, 5, T(0), T(1), S(2), B(3), T(4))                                                     \
    X(aclnnThreshold, 4, T(0), S(1), S(2), T(3))                                                                   \
    X(aclnnThresholdBackward, 4, T(0), T(1), S(2), T(3))                                                           \
    X(aclnnTanhBackward, 3, T(0), T(1), T(2))                                                                      \
    X(aclnnSigmoidBackward, 3, T(0), T(1), T(2))                                                                   \
    X(aclnnSoftplus, 4, T(0), S(1), S(2), T(3))                                                                    \
    X(aclnnAddcmul, 5, T(0), T(1), T(2), S(3), T(4))                                                               \
    X(aclnnInplaceAddcmul, 4, T(0), T(1), T(2), S(3))                                                              \
    X(aclnnAddcdiv, 5, T(0), T(1), T(2), S(3), T(4))                                                               \
    X(aclnnInplaceAddcdiv, 4, T(0), T(1), T(2), S(3))                                                              \
    X(aclnnReduceSum, 5, T(0), A(1), B(2), D(3), T(4))                                                             \
    X(aclnnMean, 5, T(0), A(1), B(2), D(3), T(4))                                                                  \
    X(aclnnMeanV2, 5, T(0), A(1), B(2), B(3), T(4))                                                                \
    X(aclnnMax, 2, T(0), T(1))                                                                                     \
    X(aclnnInplaceCopy, 2, T(0), T(1))                                                                             \
    X(aclnnCast, 3, T(0), D(1), T(2))                                                                              \
    X(aclnnInplaceFillScalar, 2, T(0), S(1))                                                                       \
    X(aclnnInplaceZero, 1, T(0))                                                                                   \
    X(aclnnPermute, 3, T(0), A(1), T(2))                                                                           \
    X(aclnnMm, 4, T(0), T(1), T(2), C(3))                                                                          \
    X(aclnnMatmul, 4, T(0), T(1), T(2), C(3))                                                                      \
    X(aclnnAddmm, 7, T(0), T(1), T(2), S(3), S(4), T(5), C(6))                                                     \
    X(aclnnInplaceAddmm, 6, T(0), T(1), T(2), S(3), S(4), C(5))                                                    \
    X(aclnnInplaceNormal, 5, T(0), F(1), F(2), I(3), I(4))                                                         \
    X(aclnnInplaceRandom, 5, T(0), I(1), I(2), I(3), I(4))                                                         \
    X(aclnnApplyAdamW, 14, T(0), T(1), T(2), T(3), T(4), T(5), T(6), T(7), T(8), T(9), T(10), T(11), B(12), B(13)) \
    X(aclnnApplyAdamWV2, 13, T(0), T(1), T(2), T(3), T(4), T(5), F(6), F(7), F(8), F(9), F(10), B(11), B(12))      \
    X(aclnnBinaryCrossEntropyWithLogits, 6, T(0), T(1), T(2), T(3), I(4), T(5))                                    \
    X(aclnnBinaryCrossEntropyWithLogitsBackward, 7, T(0), T(1), T(2), T(3), T(4), I(5), T(6))                      \
    X(aclnnSoftMarginLoss, 4, T(0), T(1), I(2), T(3))                                                              \
    X(aclnnSoftMarginLossBackward, 5, T(0), T(1), T(2), I(3), T(4))

#define DEFINE_PLAN(name_, arguments_, ...)                                                             \
    static aclnnStatus plan_##name_(const struct argument *x, uint64_t *size, aclOpExecutor **executor) \
    {                                                                                                   \
        return name_##GetWorkspaceSize(__VA_ARGS__, size, executor);                                    \
    }
OPERATORS(DEFINE_PLAN)

#define ROW(name_, arguments_, ...) {#name_, arguments_, plan_##name_, name_},
static const struct operator_ operators[] = {OPERATORS(ROW){NULL, 0, NULL, NULL}};

static void require(int condition, const char *what)
{
    if (condition) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "operators: %s: %s\n", what, message == NULL ? "" : message);
    exit(1);
}

/* Takes the next part of a text that is divided by colons. */
static char *part(char **text)
{
    char *start = *text, *end = strchr(start, ':');
    *text = end == NULL ? start + strlen(start) : end + 1;
    if (end != NULL) *end = '\0';
    return start;
}

static uint64_t numbers(const char *text, int64_t *to)
{
    uint64_t n = 0;
    while (*text != '\0') {
        char *end;
        to[n++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

static int digit(char c)
{
    require((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'), "a hexadecimal digit");
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static unsigned char *bytesOf(const char *hex, size_t *count)
{
    *count = strlen(hex) / 2;
    unsigned char *bytes = malloc(*count + 1);
    require(bytes != NULL, "memory");
    for (size_t i = 0; i < *count; i++) {
        bytes[i] = (unsigned char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    }
    return bytes;
}

static void readArgument(char *text, struct argument *all, int index)
{
    struct argument *x = &all[index];
    memset(x, 0, sizeof *x);
    x->same = -1;
    if (strcmp(text, "null") == 0) return;
    if (text[0] == '=') {
        x->same = atoi(text + 1);
        x->t = all[x->same].t;
        return;
    }
    char kind = part(&text)[0];
    int64_t list[64], strides[64];
    size_t count;
    if (kind == 't') {
        aclDataType type = (aclDataType)atoi(part(&text));
        uint64_t rank = numbers(part(&text), list);
        require(numbers(part(&text), strides) == rank, "as many strides as dimensions");
        int64_t offset = strtoll(part(&text), NULL, 10);
        unsigned char *bytes = bytesOf(text, &x->bytes);
        int64_t storage = x->bytes == 0 ? 0 : (int64_t)(x->bytes / aclDataTypeSize(type));
        if (x->bytes > 0) {
            require(aclrtMalloc(&x->memory, x->bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
            require(aclrtMemcpy(x->memory, x->bytes, bytes, x->bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0, "aclrtMemcpy");
        }
        free(bytes);
        x->t = aclCreateTensor(list, rank, type, strides, offset, ACL_FORMAT_ND, &storage, 1, x->memory);
        require(x->t != NULL, "aclCreateTensor");
    } else if (kind == 'v') {
        x->same = atoi(part(&text));
        aclDataType type;
        require(aclGetDataType(all[x->same].t, &type) == 0, "a tensor to share memory with");
        uint64_t rank = numbers(part(&text), list);
        require(numbers(part(&text), strides) == rank, "as many strides as dimensions");
        int64_t storage = (int64_t)(all[x->same].bytes / aclDataTypeSize(type));
        x->t = aclCreateTensor(list, rank, type, strides, strtoll(text, NULL, 10), ACL_FORMAT_ND, &storage, 1,
                               all[x->same].memory);
        require(x->t != NULL, "aclCreateTensor");
    } else if (kind == 's') {
        aclDataType type = (aclDataType)atoi(part(&text));
        unsigned char *bytes = bytesOf(text, &count);
        x->s = aclCreateScalar(bytes, type);
        free(bytes);
        require(x->s != NULL, "aclCreateScalar");
    } else if (kind == 'a') {
        x->a = aclCreateIntArray(list, numbers(text, list));
        require(x->a != NULL, "aclCreateIntArray");
    } else if (kind == 'i') {
        x->i = strtoll(text, NULL, 10);
    } else if (kind == 'f') {
        unsigned char *bytes = bytesOf(text, &count);
        require(count == sizeof x->f, "four bytes");
        memcpy(&x->f, bytes, sizeof x->f);
        free(bytes);
    } else {
        require(0, "an argument that it knows");
    }
}

static void runCase(char *line, aclrtStream stream)
{
    struct argument x[16];
    const char *name = strtok(line, " ");
    const struct operator_ *op = operators;
    while (op->name != NULL && strcmp(op->name, name) != 0) op++;
    require(op->name != NULL, "an operator that it knows");
    for (int i = 0; i < op->arguments; i++) {
        char *word = strtok(NULL, " ");
        require(word != NULL, "enough arguments");
        readArgument(word, x, i);
    }

    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    void *workspace = NULL;
    int status = op->plan(x, &size, &executor);
    printf("%d", status);
    if (status == 0) {
        if (size > 0) require(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "aclrtMalloc");
        status = op->run(workspace, size, executor, stream);
        printf(",%d", status);
        if (status == 0) printf(",%d", status = aclrtSynchronizeStream(stream));
    }
    printf(" %" PRIu64, size);
    for (int i = 0; i < op->arguments; i++) {
        if (x[i].same >= 0 && x[i].t != x[x[i].same].t) require(aclDestroyTensor(x[i].t) == 0, "aclDestroyTensor");
        if (x[i].same >= 0 || x[i].t == NULL) continue;
        unsigned char *bytes = malloc(x[i].bytes + 1);
        require(bytes != NULL, "memory");
        require(aclrtMemcpy(bytes, x[i].bytes, x[i].memory, x[i].bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0, "aclrtMemcpy");
        putchar(' ');
        for (size_t b = 0; b < x[i].bytes; b++) printf("%02x", bytes[b]);
        free(bytes);
        if (x[i].memory != NULL) require(aclrtFree(x[i].memory) == 0, "aclrtFree");
        require(aclDestroyTensor(x[i].t) == 0, "aclDestroyTensor");
    }
    for (int i = 0; i < op->arguments; i++) {
        require(aclDestroyScalar(x[i].s) == 0, "aclDestroyScalar");
        require(aclDestroyIntArray(x[i].a) == 0, "aclDestroyIntArray");
    }
    if (workspace != NULL) require(aclrtFree(workspace) == 0, "aclrtFree");
    const char *message = status == 0 ? NULL : aclGetRecentErrMsg();
    printf("|%s\n", message == NULL ? "" : message);
}

int main(void)
{
    aclrtStream stream;
    require(aclInit(NULL) == 0, "aclInit");
    require(aclrtSetDevice(0) == 0, "aclrtSetDevice");
    require(aclrtCreateStream(&stream) == 0, "aclrtCreateStream");
    size_t room = 0;
    char *line = NULL;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        runCase(line, stream);
    }
    free(line);
    require(aclrtDestroyStream(stream) == 0, "aclrtDestroyStream");
    require(aclrtResetDevice(0) == 0, "aclrtResetDevice");
    require(ascendsimAlive() == 0, "nothing alive");
    require(aclFinalize() == 0, "aclFinalize");
    return 0;
}
