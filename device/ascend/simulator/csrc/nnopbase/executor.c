/* aclOpExecutor, and phase two. */
#include "../plan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct executor {
    struct simObject object;
    pthread_t thread;      /* that phase one ran on */
    pthread_mutex_t mutex; /* guards what follows */
    bool repeatable;
    bool used; /* some phase two has claimed it, and it is not live any more */
    struct simPlan plan;
};

/* The bytes of memory from an operand's first element to its last, none if it has no elements. */
struct extent {
    uintptr_t begin, end;
};

/* A plan on its way through a stream. */
struct launch {
    struct simPlan plan;
    void *workspace;
    struct extent extents[SIM_MAX_OPERANDS]; /* where the library sees them, once they have been bound */
    char *copies[SIM_MAX_OPERANDS];          /* of inputs, while the kernel runs */
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
    executor->thread = pthread_self();
    executor->plan = *plan;
    void *handle = simOpen(executor, SIM_EXECUTOR, plan->name, destroy);
    if (handle == NULL) destroy(executor);
    return handle;
}

static aclnnStatus notLive(const char *function)
{
    return simFail(ACLNN_ERR_INNER_NULLPTR,
                   "%s: the executor is not live: phase two uses it up, unless it was made repeatable before, and "
                   "aclDestroyAclOpExecutor destroys it",
                   function);
}

/* Finds an executor for a function whose documented answer to NULL is code. */
static struct executor *acquire(const char *function, aclOpExecutor *handle, int code, aclnnStatus *status)
{
    struct executor *executor = handle == NULL ? NULL : simAcquire(handle, SIM_EXECUTOR);
    if (executor != NULL) return executor;
    *status = handle == NULL ? simFail(code, "%s: executor is NULL", function) : notLive(function);
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
        bool used = executor->used;
        if (!used) executor->repeatable = true;
        pthread_mutex_unlock(&executor->mutex);
        status = used ? notLive("aclSetAclOpExecutorRepeatable") : 0;
    }
    simRelease(executor);
    return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *handle)
{
    if (handle == NULL) return simFail(ACLNN_ERR_INNER_NULLPTR, "aclDestroyAclOpExecutor: executor is NULL");
    return simClose(handle, SIM_EXECUTOR) ? 0 : notLive("aclDestroyAclOpExecutor");
}

/* Which parameters of an operator an index counts. */
enum side { INPUTS, OUTPUTS, ALL };

/* Whether a parameter is on a side; what is overwritten is on both. */
static bool isOn(const struct simPlan *plan, int parameter, enum side side)
{
    for (int i = 0; i < plan->operands; i++) {
        const struct simOperand *o = &plan->operand[i];
        if (o->parameter != parameter) continue;
        size_t n = strlen(o->name);
        bool overwritten = n > 3 && strcmp(o->name + n - 3, "Ref") == 0;
        if (side == ALL || overwritten || o->output == (side == OUTPUTS)) return true;
    }
    return false;
}

/* Returns the tensor of the index-th parameter on a side in *tensor, and how many there are in *count. */
static bool nth(const struct simPlan *plan, enum side side, size_t index, const aclTensor **tensor, size_t *count)
{
    bool found = false;
    *count = 0;
    for (int parameter = 0; parameter < plan->parameters; parameter++) {
        if (!isOn(plan, parameter, side)) continue;
        for (int i = 0; i < plan->operands && *count == index; i++) {
            if (plan->operand[i].parameter == parameter) *tensor = plan->operand[i].tensor, found = true;
        }
        ++*count;
    }
    return found;
}

/*
 * Changes the address of the index-th tensor that phase one was given, counting those that were NULL, too. It is an
 * address of the tensor: wherever else the operator has the same tensor it moves along.
 */
static aclnnStatus setAddress(const char *function, aclOpExecutor *handle, enum side side, size_t index,
                              aclTensor *tensor, void *addr)
{
    aclnnStatus status;
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    if (tensor == NULL) return simFail(ACLNN_ERR_INNER_NULLPTR, "%s: tensor is NULL", function);
    struct executor *executor = acquire(function, handle, ACLNN_ERR_INNER_NULLPTR, &status);
    if (executor == NULL) return status;
    pthread_mutex_lock(&executor->mutex);
    struct simPlan *plan = &executor->plan;
    const aclTensor *given = NULL;
    size_t count;
    status = 0;
    if (!executor->repeatable)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the executor is not repeatable", function);
    else if (!nth(plan, side, index, &given, &count))
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: index %zu, but %s has %zu", function, index, plan->name, count);
    else if (given == NULL)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: phase one of %s had NULL there", function, plan->name);
    else if (given != tensor)
        status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: the tensor is not the one that phase one of %s had there",
                         function, plan->name);
    for (int i = 0; i < plan->operands && status == 0; i++) {
        struct simOperand *o = &plan->operand[i];
        if (o->tensor == tensor) o->view.data = o->walked.data = addr;
    }
    pthread_mutex_unlock(&executor->mutex);
    simRelease(executor);
    struct simView view;
    aclFormat format;
    if (status == 0 && simReadTensor(tensor, &view, &format)) (void)aclSetRawTensorAddr(tensor, addr);
    return status;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetInputTensorAddr", executor, INPUTS, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetOutputTensorAddr", executor, OUTPUTS, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return setAddress("aclSetTensorAddr", executor, ALL, index, tensor, addr);
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
        char *found = simResolve(o->view.data, begin, end, reason);
        if (found == NULL) {
            snprintf(message, SIM_MESSAGE_SIZE, "%s: %s %s", plan->name, o->name, reason);
            return false;
        }
        if (!bind) continue;
        o->view.data = o->walked.data = found - begin;
        launch->extents[i] = (struct extent){(uintptr_t)found, (uintptr_t)found + (uintptr_t)(end - begin)};
    }
    if (plan->workspaceSize > 0) {
        void *found = simResolve(launch->workspace, 0, (int64_t)plan->workspaceSize, reason);
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

static bool meet(struct extent a, struct extent b) { return a.begin < b.end && b.begin < a.end; }

/* Whether two operands are walked through the same elements in the same order. */
static bool sameWalk(const struct simView *a, const struct simView *b)
{
    bool same =
        a->type == b->type && a->data == b->data && a->offset == b->offset && simSameShape(&a->shape, &b->shape);
    for (int i = 0; i < a->shape.rank && same; i++) same = a->shape.dims[i] == 1 || a->strides[i] == b->strides[i];
    return same;
}

/* Whether writing output i may change what is yet to be read of input k. */
static bool disturbs(const struct launch *launch, int i, int k)
{
    const struct simPlan *plan = &launch->plan;
    if (plan->operand[i].tensor == NULL || plan->operand[k].tensor == NULL) return false;
    if (!meet(launch->extents[i], launch->extents[k])) return false;
    /* An element-wise kernel reads each element before it writes the one in its place. */
    return plan->loop == NULL || !sameWalk(&plan->operand[i].walked, &plan->operand[k].walked);
}

/*
 * Gives the kernel copies of the inputs that lie where an output does: CANN makes the operands contiguous first and puts
 * results into place last, so that an operator can write over any view of what it reads. False if there is no memory.
 */
static bool separate(struct launch *launch)
{
    struct simPlan *plan = &launch->plan;
    for (int k = 0; k < plan->inputs; k++) {
        bool shared = false;
        for (int i = plan->inputs; i < plan->operands; i++) shared = shared || disturbs(launch, i, k);
        if (!shared) continue;
        struct simOperand *o = &plan->operand[k];
        struct extent extent = launch->extents[k];
        launch->copies[k] = malloc((size_t)(extent.end - extent.begin));
        if (launch->copies[k] == NULL) return false;
        memcpy(launch->copies[k], (const void *)extent.begin, (size_t)(extent.end - extent.begin));
        uintptr_t data = (uintptr_t)launch->copies[k] + ((uintptr_t)o->view.data - extent.begin);
        o->view.data = o->walked.data = (char *)data;
    }
    return true;
}

/* The task. Memory may have been freed since the launch, which a device finds out only now. */
static int run(void *argument, char message[SIM_MESSAGE_SIZE])
{
    struct launch *launch = argument;
    struct simPlan *plan = &launch->plan;
    int code = 0;
    simLockMemory();
    if (!lookUp(launch, true, message)) {
        code = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
    } else if (!separate(launch)) {
        code = ACL_ERROR_RT_MEMORY_ALLOCATION;
        snprintf(message, SIM_MESSAGE_SIZE, "%s: out of host memory", plan->name);
    } else {
        /* Intermediates would leave something there, and would spoil what is wrongly kept there. */
        if (plan->workspaceSize > 0) memset(launch->workspace, 0xFF, (size_t)plan->workspaceSize);
        plan->kernel(plan);
    }
    simUnlockMemory();
    for (int i = 0; i < plan->inputs; i++) free(launch->copies[i]);
    return code;
}

/* Says, once, what works here and may not on a device. */
static void warnOfThreads(const char *name)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        simWarn("%s: phase one was on another thread; CANN keeps state between the phases for each thread", name);
}

/* The checks of phase two on a live executor, and the launch. */
static aclnnStatus launch(const char *name, struct executor *executor, void *workspace, uint64_t workspaceSize,
                          aclrtStream streamHandle, bool fails)
{
    if (workspaceSize > 0 && workspace == NULL)
        return simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: workspace is NULL, but its size %llu", name,
                       (unsigned long long)workspaceSize);
    if (fails) return simFail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s: this launch was to fail", name);
    struct launch *launch = calloc(1, sizeof *launch);
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
    const void *context = NULL;
    if (status == 0) context = simCurrentContext(name, &status);
    if (status == 0 && context != plan->context)
        status = simFail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: phase one was in another context than this thread's", name);
    if (status == 0) stream = simAcquireStream(name, streamHandle, &status);
    if (stream != NULL && !repeatable && !pthread_equal(executor->thread, pthread_self())) warnOfThreads(name);
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

/*
 * Makes an executor of one use the calling phase two's own, by ending its life, and also a repeatable one that is
 * launched without its workspace. False if another thread was faster.
 */
static bool claim(struct executor *executor, bool withoutWorkspace)
{
    pthread_mutex_lock(&executor->mutex);
    bool keep = executor->repeatable && !withoutWorkspace && !executor->used;
    bool mine = keep || simClose(executor->object.handle, SIM_EXECUTOR);
    executor->used = !keep;
    pthread_mutex_unlock(&executor->mutex);
    return mine;
}

aclnnStatus simLaunch(const char *name, void *workspace, uint64_t workspaceSize, aclOpExecutor *handle,
                      aclrtStream stream)
{
    aclnnStatus status;
    bool fails = simCount(SIM_LAUNCH);
    struct executor *executor = acquire(name, handle, ACLNN_ERR_PARAM_NULLPTR, &status);
    if (executor == NULL) return status;
    if (!claim(executor, workspaceSize > 0 && workspace == NULL)) {
        simRelease(executor);
        return notLive(name);
    }
    status = simLost() ? simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", name)
                       : launch(name, executor, workspace, workspaceSize, stream, fails);
    simRelease(executor);
    simLaunched();
    return status;
}
