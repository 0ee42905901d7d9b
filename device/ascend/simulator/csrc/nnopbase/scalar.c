/* aclScalar and its lists. */
#include "../plan.h"

#include <stdlib.h>
#include <string.h>

struct scalar {
    struct simObject object;
    aclDataType type;
    double value;
};

struct scalarList {
    struct simObject object;
    uint64_t size;
    const aclScalar *scalars[];
};

#define READ(type_)                  \
    do {                             \
        type_ v;                     \
        memcpy(&v, value, sizeof v); \
        scalar->value = (double)v;   \
    } while (0)

static bool set(struct scalar *scalar, const void *value, aclDataType type)
{
    scalar->type = type;
    switch (type) {
    case ACL_FLOAT: READ(float); return true;
    case ACL_DOUBLE: READ(double); return true;
    case ACL_INT8: READ(int8_t); return true;
    case ACL_INT16: READ(int16_t); return true;
    case ACL_INT32: READ(int32_t); return true;
    case ACL_INT64: READ(int64_t); return true;
    case ACL_UINT8: READ(uint8_t); return true;
    case ACL_UINT16: READ(uint16_t); return true;
    case ACL_UINT32: READ(uint32_t); return true;
    case ACL_UINT64: READ(uint64_t); return true;
    case ACL_BOOL:
        READ(uint8_t);
        scalar->value = scalar->value != 0;
        return true;
    case ACL_FLOAT16: {
        uint16_t bits;
        memcpy(&bits, value, sizeof bits);
        scalar->value = (double)aclFloat16ToFloat(bits);
        return true;
    }
    case ACL_BF16: {
        uint16_t half;
        memcpy(&half, value, sizeof half);
        uint32_t bits = (uint32_t)half << 16;
        float v;
        memcpy(&v, &bits, sizeof v);
        scalar->value = (double)v;
        return true;
    }
    default: return false;
    }
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    if (value == NULL) return NULL;
    struct scalar *scalar = calloc(1, sizeof *scalar);
    if (scalar == NULL) return NULL;
    void *handle = NULL;
    if (set(scalar, value, dataType)) handle = simOpen(scalar, SIM_SCALAR, simTypeName(dataType), free);
    else simFail(ACLNN_ERR_PARAM_INVALID, "aclCreateScalar: data type %d is not one of the simulator's", (int)dataType);
    if (handle == NULL) free(scalar);
    return handle;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    if (scalar == NULL || simClose(scalar, SIM_SCALAR)) return 0;
    return simFail(ACLNN_ERR_PARAM_INVALID, "aclDestroyScalar: %p is no live scalar", (const void *)scalar);
}

bool simReadScalar(const aclScalar *handle, double *value, aclDataType *type)
{
    struct scalar *scalar = simAcquire(handle, SIM_SCALAR);
    if (scalar == NULL) return false;
    *value = scalar->value;
    *type = scalar->type;
    simRelease(scalar);
    return true;
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    if ((value == NULL && size > 0) || size > UINT32_MAX) return NULL;
    struct scalarList *list = calloc(1, sizeof *list + (size_t)size * sizeof list->scalars[0]);
    if (list == NULL) return NULL;
    list->size = size;
    for (uint64_t i = 0; i < size; i++) list->scalars[i] = value[i];
    void *handle = simOpen(list, SIM_LIST, "of scalars", free);
    if (handle == NULL) free(list);
    return handle;
}

aclnnStatus aclDestroyScalarList(const aclScalarList *handle)
{
    if (handle == NULL) return 0;
    struct scalarList *list = simTake(handle, SIM_LIST);
    if (list == NULL)
        return simFail(ACLNN_ERR_PARAM_INVALID, "aclDestroyScalarList: %p is no live list", (const void *)handle);
    aclnnStatus status = 0;
    for (uint64_t i = 0; i < list->size; i++) {
        aclnnStatus s = aclDestroyScalar(list->scalars[i]);
        if (s != 0) status = s;
    }
    simRelease(list);
    return status;
}

aclnnStatus aclGetScalarListSize(const aclScalarList *handle, uint64_t *size)
{
    if (handle == NULL || size == NULL)
        return simFail(ACLNN_ERR_PARAM_NULLPTR, "aclGetScalarListSize: an argument is NULL");
    struct scalarList *list = simAcquire(handle, SIM_LIST);
    if (list == NULL)
        return simFail(ACLNN_ERR_PARAM_INVALID, "aclGetScalarListSize: %p is no live list", (const void *)handle);
    *size = list->size;
    simRelease(list);
    return 0;
}
