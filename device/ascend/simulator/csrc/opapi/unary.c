/* Element-wise functions of one tensor. */
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "kernel.h"

static aclnnStatus plan(const char *name, const aclTensor *self, const aclTensor *out, int types, simLoop loop,
                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simOutput(&p, "out", out);
    return simElementwise(&p, types, loop);
}

/* Without overflow. */
static double sigmoid(double v)
{
    double e = exp(-fabs(v));
    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* The form by tanh, which is what this operator is on the device; the form by erf is aclnnGeluV2's. */
static double gelu(double v)
{
    if (isinf(v)) return v > 0 ? v : 0;
    const double scale = 0.79788456080286535588; /* √(2/π) */
    return 0.5 * v * (1 + tanh(scale * (v + 0.044715 * v * v * v)));
}

#define LOOP(Op, expression)                                                    \
    static void loop##Op(const struct simPlan *plan_, int n, double *const x[]) \
    {                                                                           \
        (void)plan_;                                                            \
        for (int i = 0; i < n; i++) {                                           \
            double v = x[0][i];                                                 \
            x[1][i] = (expression);                                             \
        }                                                                       \
    }

#define OPERATOR(Op, Out, types)                                                                      \
    aclnnStatus aclnn##Op##GetWorkspaceSize(const aclTensor *self, Out *out, uint64_t *workspaceSize, \
                                            aclOpExecutor **executor)                                 \
    {                                                                                                 \
        return plan("aclnn" #Op, self, out, types, loop##Op, workspaceSize, executor);                \
    }                                                                                                 \
    PHASE_TWO(aclnn##Op)

#define IN_PLACE(Op, types)                                                                          \
    aclnnStatus aclnnInplace##Op##GetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize,      \
                                                   aclOpExecutor **executor)                         \
    {                                                                                                \
        return plan("aclnnInplace" #Op, selfRef, selfRef, types, loop##Op, workspaceSize, executor); \
    }                                                                                                \
    PHASE_TWO(aclnnInplace##Op)

LOOP(Abs, fabs(v))
OPERATOR(Abs, aclTensor, SIM_NUMBERS)

LOOP(Erfc, erfc(v))
OPERATOR(Erfc, aclTensor, SIM_FLOATS)

LOOP(Exp, exp(v))
OPERATOR(Exp, aclTensor, SIM_FLOATS)
IN_PLACE(Exp, SIM_FLOATS)

LOOP(Gelu, gelu(v))
OPERATOR(Gelu, aclTensor, SIM_FLOATS)

LOOP(Log, log(v))
OPERATOR(Log, aclTensor, SIM_FLOATS)
IN_PLACE(Log, SIM_FLOATS)

LOOP(Log1p, log1p(v))
OPERATOR(Log1p, aclTensor, SIM_FLOATS)
IN_PLACE(Log1p, SIM_FLOATS)

LOOP(Neg, -v)
OPERATOR(Neg, aclTensor, SIM_NUMBERS)
IN_PLACE(Neg, SIM_NUMBERS)

LOOP(Relu, v > 0 || isnan(v) ? v : 0)
OPERATOR(Relu, const aclTensor, SIM_NUMBERS)
IN_PLACE(Relu, SIM_NUMBERS)

LOOP(Sigmoid, sigmoid(v))
OPERATOR(Sigmoid, aclTensor, SIM_FLOATS)
IN_PLACE(Sigmoid, SIM_FLOATS)

LOOP(Sign, v > 0 ? 1 : v < 0 ? -1 : v) /* zeros and NaN are their own signs */
OPERATOR(Sign, aclTensor, SIM_NUMBERS)

LOOP(Sqrt, sqrt(v))
OPERATOR(Sqrt, aclTensor, SIM_FLOATS)
IN_PLACE(Sqrt, SIM_FLOATS)

LOOP(Tanh, tanh(v))
OPERATOR(Tanh, aclTensor, SIM_FLOATS)
IN_PLACE(Tanh, SIM_FLOATS)
