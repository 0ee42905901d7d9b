/*
 * Random numbers of Philox4x32-10 (Salmon et al., 2011): the same for the same seed and offset,
 * but not the numbers that a device makes.
 */
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_random.h"
#include "kernel.h"

static void philox(uint64_t seed, uint64_t offset, uint64_t counter, uint32_t out[4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    out[0] = (uint32_t)counter;
    out[1] = (uint32_t)(counter >> 32);
    out[2] = (uint32_t)offset;
    out[3] = (uint32_t)(offset >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)out[0] * 0xD2511F53u, b = (uint64_t)out[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ out[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ out[3] ^ k1,
                            (uint32_t)a};
        memcpy(out, next, sizeof next);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* The two words of element i as one number. */
static uint64_t word(const struct simPlan *plan, int64_t i)
{
    uint32_t out[4];
    philox((uint64_t)plan->integer[2], (uint64_t)plan->integer[3], (uint64_t)i, out);
    return (uint64_t)out[0] << 32 | out[1];
}

static void runNormal(const struct simPlan *plan)
{
    const double tau = 6.28318530717958647693;
    int64_t count = simCountElements(&plan->shape);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = word(plan, i);
        double u = ((double)(bits >> 32) + 1) * 0x1p-32, angle = (double)(uint32_t)bits * 0x1p-32 * tau;
        double z = sqrt(-2 * log(u)) * cos(angle); /* Box and Muller, 1958 */
        simStoreOne(&plan->operand[0].view, i, plan->number[0] + plan->number[1] * z);
    }
}

static void runRandom(const struct simPlan *plan)
{
    int64_t count = simCountElements(&plan->shape);
    uint64_t range = (uint64_t)plan->integer[1] - (uint64_t)plan->integer[0];
    for (int64_t i = 0; i < count; i++) {
        double value = (double)plan->integer[0] + (double)(word(plan, i) % range);
        simStoreOne(&plan->operand[0].view, i, value);
    }
}

static void begin(struct simPlanner *p, const char *name, const aclTensor *selfRef, int types, int64_t seed,
                  int64_t offset, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    simBegin(p, name, workspaceSize, executor);
    simOutput(p, "selfRef", selfRef);
    simCheckTypes(p, types);
    p->plan.shape = p->plan.operand[0].view.shape;
    if (p->plan.shape.rank > SIM_MAX_RANK)
        simRefuse(p, "selfRef", "%d dimensions are more than %d", p->plan.shape.rank, SIM_MAX_RANK);
    p->plan.integer[2] = seed;
    p->plan.integer[3] = offset;
    simWalk(p);
}

aclnnStatus aclnnInplaceNormalGetWorkspaceSize(aclTensor *selfRef, float mean, float std, int64_t seed, int64_t offset,
                                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    begin(&p, "aclnnInplaceNormal", selfRef, SIM_FLOATS, seed, offset, workspaceSize, executor);
    if (!(std >= 0)) simRefuse(&p, "std", "%g is negative", (double)std);
    p.plan.number[0] = (double)mean;
    p.plan.number[1] = (double)std;
    return simFinish(&p, runNormal);
}
PHASE_TWO(aclnnInplaceNormal)

/* Integers from from, inclusive, to to, exclusive. */
aclnnStatus aclnnInplaceRandomGetWorkspaceSize(aclTensor *selfRef, int64_t from, int64_t to, int64_t seed,
                                               int64_t offset, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    begin(&p, "aclnnInplaceRandom", selfRef, SIM_NUMBERS, seed, offset, workspaceSize, executor);
    if (from >= to) simRefuse(&p, "to", "%lld is not above from, %lld", (long long)to, (long long)from);
    p.plan.integer[0] = from;
    p.plan.integer[1] = to;
    return simFinish(&p, runRandom);
}
PHASE_TWO(aclnnInplaceRandom)
