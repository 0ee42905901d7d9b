/* Element-wise operators: checks, and the walk over blocks. */
#include "kernel.h"

void simRunElementwise(const struct simPlan *plan)
{
    double blocks[SIM_MAX_OPERANDS][SIM_BLOCK];
    double *x[SIM_MAX_OPERANDS];
    int64_t count = simCountElements(&plan->shape);
    for (int64_t start = 0; start < count; start += SIM_BLOCK) {
        int n = count - start < SIM_BLOCK ? (int)(count - start) : SIM_BLOCK;
        for (int i = 0; i < plan->operands; i++) {
            const struct simOperand *o = &plan->operand[i];
            x[i] = o->tensor == NULL ? NULL : blocks[i];
            if (o->tensor != NULL && !o->output) simLoad(&o->walked, start, n, blocks[i]);
        }
        plan->loop(plan, n, x);
        for (int i = plan->inputs; i < plan->operands; i++) {
            if (x[i] != NULL) simStore(&plan->operand[i].walked, start, n, blocks[i]);
        }
    }
}

aclnnStatus simElementwise(struct simPlanner *p, int types, simLoop loop)
{
    if (types != 0) simCheckTypes(p, types);
    simCheckRanks(p);
    simBroadcastInputs(p);
    for (int i = p->plan.inputs; i < p->plan.operands; i++) {
        simCheckShape(p, i, &p->plan.shape);
        if (types != 0) simCheckStorable(p, i, simPromoted(p));
    }
    simWalk(p);
    p->plan.loop = loop;
    return simFinish(p, simRunElementwise);
}
