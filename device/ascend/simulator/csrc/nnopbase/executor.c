/* aclOpExecutor, and phase two. */
#include "../plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct executor {
    struct simObject object;
    pthread_mutex_t mutex; /* guards what follows */
    bool repeatable;
    struct simPlan plan;
};

/* A plan on its way through a stream. */
struct launch {
    struct simPlan plan;
    void *workspace;
};

static void destroy(void *destroyed)
{
    struct executor *executor = destroyed;
    pthread_mutex_destroy(&executor->mutex);
    free(executor);
}

aclOpExecutor *simNewExecutor(const struct simPlan *plan)
{
    struct executor *executor = calloc(1, sizeof *executor);
    if (executor == NULL) return NULL;
    pthread_mutex_init(&executor->mutex, NULL);
    executor->plan = *plan;
    void *handle = simOpen(executor, SIM_EXECUTOR, plan->name, destroy);
    if (handle == NULL) destroy(executor);
    return handle;
}

/* Finds an executor for a function whose documented answer to NULL is code. */
static struct executor *acquire(const char *function, aclOpExecutor *handle, int code, aclnnStatus *status)
{
    struct executor *executor = handle == NULL ? NULL : simAcquire(handle, SIM_EXECUTOR);
    if (executor != NULL) return executor;
    *status = handle == NULL
                  ? simFail(code, "%s: executor is NULL", function)
                  : simFail(ACLNN_ERR_INNER_NULLPTR,
                            "%s: the executor is not live: phase two uses it up, unless it was made repeatable before, "
                            "and aclDestroyAclOpExecutor destroys it",
                            function);
    return NULL;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *handle)
{
    aclnnStatus status;
    struct executor *executor = acquire("aclSetAclOpExecutorRepeatable", handle, ACLNN_ERR_INNER_NULLPTR, &status);
    if (executor == NULL) return status;
    if (simLost()) {
        status = simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "aclSetAclOpExecutorRepeatable: the device is lost");
    } else if (simSwitchedOn(SIM_NO_REPEAT)) {
        status = simFail(ACLNN_ERR_INNER, "aclSetAclOpExecutorRepeatable: %s cannot be repeated", executor->plan.name);
    } else {
        pthread_mutex_lock(&executor->mutex);
        executor->repeatable = true;
        pthread_mutex_unlock(&executor->mutex);
        status = 0;
    }
    simRelease(executor);
    return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *handle)
{
    aclnnStatus status;
    struct executor *executor = acquire("aclDestroyAclOpExecutor", handle, ACLNN_ERR_INNER_NULLPTR, &status);
    if (executor == NULL) return status;
    simClose(handle, SIM_EXECUTOR);
    simRelease(executor);
    return 0;
}

/* Changes the address of operand first + index, which must be the tensor given in phase one. */
static aclnnStatus setAddress(const char *function, aclOpExecutor *handle, bool outputs, bool all, size_t index,
                              aclTensor *tensor, void *addr)
{
    aclnnStatus status;
    if (tensor == NULL) return simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: tensor is NULL", function);
    struct executor *executor = acquire(function, handle, ACLNN_ERR_PARAM_NULLPTR, &status);
    if (executor == NULL) return status;
    pthread_mutex_lock(&executor->mutex);
    struct simPlan *plan = &executor->plan;
    size_t first = outputs ? (size_t)plan->inputs : 0,
           end = outputs || all ? (size_t)plan->operands : (size_t)plan->inputs;
    status = 0;
    if (!executor->repeatable)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the executor is not repeatable", function);
    else if (index >= end - first)
        status =
            simFail(ACLNN_ERR_PARAM_INVALID, "%s: index %zu, but %s has %zu", function, index, plan->name, end - first);
    else if (plan->operand[first + index].tensor != tensor)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the tensor is not the one that phase one of %s had there",
                         function, plan->name);
    else plan->operand[first + index].view.data = plan->operand[first + index].walked.data = addr;
    pthread_mutex_unlock(&executor->mutex);
    simRelease(executor);
    return status;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetInputTensorAddr", executor, false, false, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetOutputTensorAddr", executor, true, false, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetTensorAddr", executor, false, true, index, tensor, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetTensorAddr(executor, index, tensor, addr);
}

/*
 * Finds the bytes that a view reaches, relative to its data. False if there are none or they
 * cannot be counted, with *begin > *end in the second case.
 */
static bool reach(const struct simView *view, int64_t *begin, int64_t *end)
{
    int64_t low = view->offset, high = view->offset, width = (int64_t)aclDataTypeSize(view->type);
    bool bad = false;
    *begin = *end = 0;
    for (int i = 0; i < view->shape.rank; i++) {
        int64_t step;
        if (view->shape.dims[i] == 0) return false;
        bad |= __builtin_mul_overflow(view->shape.dims[i] - 1, view->strides[i], &step);
        bad |= step < 0 ? __builtin_add_overflow(low, step, &low) : __builtin_add_overflow(high, step, &high);
    }
    bad |= __builtin_add_overflow(high, 1, &high);
    bad |= __builtin_mul_overflow(low, width, begin) || __builtin_mul_overflow(high, width, end);
    if (bad) *begin = 1, *end = 0;
    return !bad;
}

/*
 * Looks up the memory of every operand and of the workspace; false, with a sentence, if
 * something is not there. If bind, the library's own addresses take the place of the
 * device's. Needs the memory lock.
 */
static bool lookUp(struct launch *launch, bool bind, char message[SIM_MESSAGE_SIZE])
{
    char reason[SIM_REASON_SIZE];
    struct simPlan *plan = &launch->plan;
    for (int i = 0; i < plan->operands; i++) {
        struct simOperand *o = &plan->operand[i];
        int64_t begin, end;
        if (o->tensor == NULL) continue;
        if (!reach(&o->view, &begin, &end)) {
            if (begin <= end) continue;
            snprintf(message, SIM_MESSAGE_SIZE, "%s: %s reaches further than an address can", plan->name, o->name);
            return false;
        }
        if ((uintptr_t)o->view.data % 32 != 0) {
            snprintf(message, SIM_MESSAGE_SIZE, "%s: %s is at %p, which is no multiple of 32", plan->name, o->name,
                     (void *)o->view.data);
            return false;
        }
        const void *first = (const void *)((uintptr_t)o->view.data + (uintptr_t)begin);
        char *found = simResolve(first, (uint64_t)(end - begin), reason);
        if (found == NULL) {
            snprintf(message, SIM_MESSAGE_SIZE, "%s: %s %s", plan->name, o->name, reason);
            return false;
        }
        if (bind) o->view.data = o->walked.data = found - begin;
    }
    if (plan->workspaceSize > 0) {
        void *found = simResolve(launch->workspace, plan->workspaceSize, reason);
        if (found == NULL) {
            snprintf(message, SIM_MESSAGE_SIZE, "%s: the workspace %s", plan->name, reason);
            return false;
        }
        if (bind) launch->workspace = found;
    }
    return true;
}

static bool present(struct launch *launch, char message[SIM_MESSAGE_SIZE])
{
    simLockMemory();
    bool is = lookUp(launch, false, message);
    simUnlockMemory();
    return is;
}

/* The task. Memory may have been freed since the launch, which a device finds out only now. */
static int run(void *argument, char message[SIM_MESSAGE_SIZE])
{
    struct launch *launch = argument;
    simLockMemory();
    bool good = lookUp(launch, true, message);
    if (good) {
        /* Intermediates would leave something there, and would spoil what is wrongly kept there. */
        if (launch->plan.workspaceSize > 0) memset(launch->workspace, 0xFF, (size_t)launch->plan.workspaceSize);
        launch->plan.kernel(&launch->plan);
    }
    simUnlockMemory();
    return good ? 0 : ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

/* The checks of phase two on a live executor, and the launch. */
static aclnnStatus launch(const char *name, struct executor *executor, void *workspace, uint64_t workspaceSize,
                          aclrtStream streamHandle, bool fails)
{
    if (workspaceSize > 0 && workspace == NULL)
        return simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: workspace is NULL, but its size %llu", name,
                       (unsigned long long)workspaceSize);
    if (fails) return simFail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: this launch was to fail", name);
    struct launch *launch = malloc(sizeof *launch);
    if (launch == NULL) return simFail(ACLNN_ERR_INNER, "%s: out of host memory", name);
    pthread_mutex_lock(&executor->mutex);
    launch->plan = executor->plan;
    bool repeatable = executor->repeatable;
    pthread_mutex_unlock(&executor->mutex);
    launch->workspace = workspace;

    const struct simPlan *plan = &launch->plan;
    aclnnStatus status = 0;
    if (strcmp(plan->name, name) != 0)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the executor was made by %sGetWorkspaceSize", name, plan->name);
    else if (workspaceSize < plan->workspaceSize)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: a workspace of %llu bytes, but phase one asked for %llu", name,
                         (unsigned long long)workspaceSize, (unsigned long long)plan->workspaceSize);
    for (int i = 0; i < plan->operands && status == 0 && !repeatable; i++) {
        struct simView view;
        aclFormat format;
        if (plan->operand[i].tensor != NULL && !simReadTensor(plan->operand[i].tensor, &view, &format))
            status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the tensor %s was destroyed before phase two", name,
                             plan->operand[i].name);
    }
    void *stream = NULL;
    if (status == 0) stream = simAcquireStream(name, streamHandle, &status);
    if (stream == NULL) {
        free(launch);
        return status;
    }
    char message[SIM_MESSAGE_SIZE];
    if (!plan->empty && !present(launch, message)) {
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s", message);
        free(launch);
    } else if (plan->empty) {
        free(launch);
    } else {
        status = simSubmit(stream, run, free, launch);
    }
    simRelease(stream);
    return status;
}

aclnnStatus simLaunch(const char *name, void *workspace, uint64_t workspaceSize, aclOpExecutor *handle,
                      aclrtStream stream)
{
    aclnnStatus status;
    bool fails = simCount(SIM_LAUNCH);
    struct executor *executor = acquire(name, handle, ACLNN_ERR_PARAM_NULLPTR, &status);
    if (executor == NULL) return status;
    status = simLost() ? simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", name)
                       : launch(name, executor, workspace, workspaceSize, stream, fails);
    /* A missing workspace destroys any executor; everything else only those of one use, done or failed. */
    pthread_mutex_lock(&executor->mutex);
    bool keep = executor->repeatable && !(workspaceSize > 0 && workspace == NULL);
    pthread_mutex_unlock(&executor->mutex);
    if (!keep) simClose(handle, SIM_EXECUTOR);
    simRelease(executor);
    simLaunched();
    return status;
}
