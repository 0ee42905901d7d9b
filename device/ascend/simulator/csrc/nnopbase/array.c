/* aclIntArray, aclFloatArray, aclBoolArray. */
#include "../plan.h"

#include <stdlib.h>
#include <string.h>

struct array {
    struct simObject object;
    aclDataType type;
    uint64_t size;
    int64_t values[]; /* or floats or bools, in the same room */
};

static void *create(const void *values, uint64_t size, size_t width, aclDataType type, const char *label)
{
    if ((values == NULL && size > 0) || size > UINT32_MAX) return NULL;
    struct array *array = calloc(1, sizeof *array + (size_t)size * width);
    if (array == NULL) return NULL;
    array->type = type;
    array->size = size;
    if (size > 0) memcpy(array->values, values, (size_t)size * width);
    void *handle = simOpen(array, SIM_ARRAY, label, free);
    if (handle == NULL) free(array);
    return handle;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    return create(value, size, sizeof *value, ACL_INT64, "of integers");
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    return create(value, size, sizeof *value, ACL_FLOAT, "of floats");
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    return create(value, size, sizeof *value, ACL_BOOL, "of booleans");
}

static aclnnStatus destroy(const char *function, const void *handle)
{
    if (handle == NULL || simClose(handle, SIM_ARRAY)) return 0;
    return simFail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no live array", function, handle);
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array) { return destroy("aclDestroyIntArray", array); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray *array) { return destroy("aclDestroyFloatArray", array); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray *array) { return destroy("aclDestroyBoolArray", array); }

static aclnnStatus sizeOf(const char *function, const void *handle, uint64_t *size)
{
    if (handle == NULL || size == NULL) return simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: an argument is NULL", function);
    struct array *array = simAcquire(handle, SIM_ARRAY);
    if (array == NULL) return simFail(ACLNN_ERR_PARAM_INVALID, "%s: %p is no live array", function, handle);
    *size = array->size;
    simRelease(array);
    return 0;
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    return sizeOf("aclGetIntArraySize", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
    return sizeOf("aclGetFloatArraySize", array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
    return sizeOf("aclGetBoolArraySize", array, size);
}

bool simReadIntArray(const aclIntArray *handle, int64_t *values, uint64_t room, uint64_t *size)
{
    struct array *array = simAcquire(handle, SIM_ARRAY);
    bool good = array != NULL && array->type == ACL_INT64;
    if (good) {
        *size = array->size;
        for (uint64_t i = 0; i < array->size && i < room; i++) values[i] = array->values[i];
    }
    if (array != NULL) simRelease(array);
    return good;
}
