/* What the operators of libopapi.so share. */
#ifndef ASCENDSIM_KERNEL_H
#define ASCENDSIM_KERNEL_H

#include <math.h>
#include <string.h>

#include "../plan.h"

enum { SIM_BLOCK = 256 }; /* elements that a kernel has in hand at a time */

/* ---- load.c: between device memory and blocks of double ---- */

/*
 * Reads or writes n elements from the start-th in row-major order. Whatever is stored as
 * FLOAT, FLOAT16 or BF16 is rounded to float32 first, to nearest even both times; integers
 * are truncated and saturate, and have NaN as 0. Integers beyond 2^53 lose bits.
 */
void simLoad(const struct simView *view, int64_t start, int n, double *block);
void simStore(const struct simView *view, int64_t start, int n, const double *block);

double simLoadOne(const struct simView *view, int64_t index);
void simStoreOne(const struct simView *view, int64_t index, double value);

/* Where the n elements from the start-th are, in elements from the view's data. */
void simPositions(const struct simView *view, int64_t start, int n, int64_t *at);

/* ---- elementwise.c ---- */

/*
 * A loop over a block: x[i] is operand i, loaded, or to be filled if it is an output;
 * NULL if it is missing. An output that is also an input is given twice.
 */
typedef void (*simLoop)(const struct simPlan *plan, int n, double *const x[]);

/* Checks types (of all operands, unless 0), ranks, broadcasting and outputs, and plans an element-wise operator. */
aclnnStatus simElementwise(struct simPlanner *p, int types, simLoop loop);
void simRunElementwise(const struct simPlan *plan);

/* ---- reduce.c ---- */

/*
 * The shape that is left when the plan's marked dimensions are reduced. The plan's shape
 * must be the input's.
 */
struct simShape simReducedShape(const struct simPlan *plan, bool keep);
/* Sums loop's results over the whole shape into the one element of the output; as a mean if reduction is 1. */
void simRunLoss(const struct simPlan *plan);
/* Plans a loss whose element-wise form loop is: reduction 0 keeps the shape, 1 is the mean, all else the sum. */
aclnnStatus simPlanLoss(struct simPlanner *p, int output, int64_t reduction, simLoop loop);

/* Phase two is the same for all operators. */
#define PHASE_TWO(op)                                                                                    \
    aclnnStatus op(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) \
    {                                                                                                    \
        return simLaunch(#op, workspace, workspaceSize, executor, stream);                               \
    }

#endif
