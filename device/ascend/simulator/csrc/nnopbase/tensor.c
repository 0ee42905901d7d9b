/* aclTensor and its lists. */
#include "../plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tensor {
    struct simObject object;
    struct simView view;
    struct simShape storage;
    aclFormat format;
};

struct tensorList {
    struct simObject object;
    uint64_t size;
    const aclTensor *tensors[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what is in a tensor */

static bool readShape(const int64_t *dims, uint64_t rank, struct simShape *shape)
{
    if (rank > SIM_MAX_DIMS || (dims == NULL && rank > 0)) return false;
    int64_t n = 1;
    shape->rank = (int)rank;
    for (uint64_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(n, dims[i] == 0 ? 1 : dims[i], &n)) return false;
        shape->dims[i] = dims[i];
    }
    return n <= INT64_MAX / 64; /* so that sizes in bytes cannot overflow */
}

/* Fills a tensor from aclCreateTensor's arguments; false, with a message, if they make no tensor. */
static bool describe(const char *function, struct tensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                     aclDataType type, const int64_t *stride, int64_t offset, aclFormat format,
                     const int64_t *storageDims, uint64_t storageDimsNum, void *data)
{
    struct simView view = {.type = type, .offset = offset, .data = data};
    struct simShape storage;
    memset(&storage, 0, sizeof storage);
    if (!readShape(viewDims, viewDimsNum, &view.shape) || !readShape(storageDims, storageDimsNum, &storage)) {
        simFail(
            ACLNN_ERR_PARAM_INVALID,
            "%s: viewDims or storageDims is missing, has more than %d dimensions, or has a negative or too large one",
            function, SIM_MAX_DIMS);
        return false;
    }
    int64_t next = 1;
    for (int i = view.shape.rank - 1; i >= 0; i--) {
        view.strides[i] = stride == NULL ? next : stride[i];
        next *= view.shape.dims[i];
    }
    pthread_mutex_lock(&mutex);
    tensor->view = view;
    tensor->storage = storage;
    tensor->format = format;
    pthread_mutex_unlock(&mutex);
    return true;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData)
{
    struct tensor *tensor = calloc(1, sizeof *tensor);
    if (tensor == NULL) return NULL;
    void *handle = NULL;
    if (describe("aclCreateTensor", tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                 storageDimsNum, tensorData))
        handle = simOpen(tensor, SIM_TENSOR, simTypeName(dataType), free);
    if (handle == NULL) free(tensor);
    return handle;
}

static struct tensor *acquire(const char *function, const aclTensor *handle, aclnnStatus *status)
{
    *status = 0;
    if (handle == NULL) {
        *status = simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: tensor is NULL", function);
        return NULL;
    }
    struct tensor *tensor = simAcquire(handle, SIM_TENSOR);
    if (tensor == NULL)
        *status = simFail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no live tensor", function, (const void *)handle);
    return tensor;
}

aclnnStatus aclInitTensor(aclTensor *handle, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr)
{
    aclnnStatus status;
    struct tensor *tensor = acquire("aclInitTensor", handle, &status);
    if (tensor == NULL) return status;
    if (!describe("aclInitTensor", tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                  storageDimsNum, tensorDataAddr))
        status = ACLNN_ERR_PARAM_INVALID;
    simRelease(tensor);
    return status;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    if (tensor == NULL || simClose(tensor, SIM_TENSOR)) return 0;
    return simFail(ACLNN_ERR_PARAM_INVALID, "aclDestroyTensor: %p is no live tensor", (const void *)tensor);
}

/* Copies a tensor while it is live; false if it is not. */
static bool read(const aclTensor *handle, struct tensor *copy)
{
    struct tensor *tensor = simAcquire(handle, SIM_TENSOR);
    if (tensor == NULL) return false;
    pthread_mutex_lock(&mutex);
    copy->view = tensor->view;
    copy->storage = tensor->storage;
    copy->format = tensor->format;
    pthread_mutex_unlock(&mutex);
    simRelease(tensor);
    return true;
}

bool simReadTensor(const aclTensor *handle, struct simView *view, aclFormat *format)
{
    struct tensor tensor;
    if (!read(handle, &tensor)) return false;
    *view = tensor.view;
    *format = tensor.format;
    return true;
}

/* ---- what a tensor says of itself ---- */

/* C++'s operator new[], if the program has it: CANN documents that results are to be freed by delete[]. */
extern void *newArray(size_t size) __asm__("_Znam") __attribute__((weak));

static aclnnStatus give(const char *function, const int64_t *values, int n, int64_t **given, uint64_t *size)
{
    size_t bytes = (n == 0 ? 1 : (size_t)n) * sizeof *values;
    int64_t *copy = newArray != NULL ? newArray(bytes) : malloc(bytes);
    if (copy == NULL) return simFail(ACLNN_ERR_INNER, "%s: out of host memory", function);
    memcpy(copy, values, (size_t)n * sizeof *values);
    *given = copy;
    *size = (uint64_t)n;
    return 0;
}

/* The beginning of every getter: the results must be there and the tensor live. */
static aclnnStatus look(const char *function, const aclTensor *handle, const void *result, const void *second,
                        struct tensor *tensor)
{
    if (handle == NULL || result == NULL || second == NULL)
        return simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: an argument is NULL", function);
    if (!read(handle, tensor))
        return simFail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no live tensor", function, (const void *)handle);
    return 0;
}

aclnnStatus aclGetViewShape(const aclTensor *handle, int64_t **viewDims, uint64_t *viewDimsNum)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetViewShape", handle, viewDims, viewDimsNum, &tensor);
    if (status != 0) return status;
    return give("aclGetViewShape", tensor.view.shape.dims, tensor.view.shape.rank, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *handle, int64_t **storageDims, uint64_t *storageDimsNum)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetStorageShape", handle, storageDims, storageDimsNum, &tensor);
    if (status != 0) return status;
    return give("aclGetStorageShape", tensor.storage.dims, tensor.storage.rank, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *handle, int64_t **stridesValue, uint64_t *stridesNum)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetViewStrides", handle, stridesValue, stridesNum, &tensor);
    if (status != 0) return status;
    return give("aclGetViewStrides", tensor.view.strides, tensor.view.shape.rank, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *handle, int64_t *offset)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetViewOffset", handle, offset, offset, &tensor);
    if (status == 0) *offset = tensor.view.offset;
    return status;
}

aclnnStatus aclGetFormat(const aclTensor *handle, aclFormat *format)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetFormat", handle, format, format, &tensor);
    if (status == 0) *format = tensor.format;
    return status;
}

aclnnStatus aclGetDataType(const aclTensor *handle, aclDataType *dataType)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetDataType", handle, dataType, dataType, &tensor);
    if (status == 0) *dataType = tensor.view.type;
    return status;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *handle, void **addr)
{
    struct tensor tensor;
    aclnnStatus status = look("aclGetRawTensorAddr", handle, addr, addr, &tensor);
    if (status == 0) *addr = tensor.view.data;
    return status;
}

aclnnStatus aclSetRawTensorAddr(aclTensor *handle, void *addr)
{
    aclnnStatus status;
    struct tensor *tensor = acquire("aclSetRawTensorAddr", handle, &status);
    if (tensor == NULL) return status;
    pthread_mutex_lock(&mutex);
    tensor->view.data = addr;
    pthread_mutex_unlock(&mutex);
    simRelease(tensor);
    return 0;
}

/* ---- lists ---- */

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    if ((value == NULL && size > 0) || size > UINT32_MAX) return NULL;
    struct tensorList *list = calloc(1, sizeof *list + (size_t)size * sizeof list->tensors[0]);
    if (list == NULL) return NULL;
    list->size = size;
    for (uint64_t i = 0; i < size; i++) list->tensors[i] = value[i];
    void *handle = simOpen(list, SIM_LIST, "of tensors", free);
    if (handle == NULL) free(list);
    return handle;
}

/* Destroys the list's tensors as well, as CANN does. */
aclnnStatus aclDestroyTensorList(const aclTensorList *handle)
{
    if (handle == NULL) return 0;
    struct tensorList *list = simTake(handle, SIM_LIST);
    if (list == NULL)
        return simFail(ACLNN_ERR_PARAM_INVALID, "aclDestroyTensorList: %p is no live list", (const void *)handle);
    aclnnStatus status = 0;
    for (uint64_t i = 0; i < list->size; i++) {
        aclnnStatus s = aclDestroyTensor(list->tensors[i]);
        if (s != 0) status = s;
    }
    simRelease(list);
    return status;
}

aclnnStatus aclGetTensorListSize(const aclTensorList *handle, uint64_t *size)
{
    if (handle == NULL || size == NULL)
        return simFail(ACLNN_ERR_PARAM_NULLPTR, "aclGetTensorListSize: an argument is NULL");
    struct tensorList *list = simAcquire(handle, SIM_LIST);
    if (list == NULL)
        return simFail(ACLNN_ERR_PARAM_INVALID, "aclGetTensorListSize: %p is no live list", (const void *)handle);
    *size = list->size;
    simRelease(list);
    return 0;
}
