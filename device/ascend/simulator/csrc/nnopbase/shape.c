/* Shapes, strides and names of data types. */
#include "../plan.h"

#include <stdio.h>
#include <string.h>

int64_t simCountElements(const struct simShape *shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape->rank; i++) n *= shape->dims[i];
    return n;
}

bool simSameShape(const struct simShape *a, const struct simShape *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++) {
        if (a->dims[i] != b->dims[i]) return false;
    }
    return true;
}

bool simBroadcast(struct simShape *into, const struct simShape *other)
{
    struct simShape result = {.rank = into->rank > other->rank ? into->rank : other->rank};
    for (int i = 0; i < result.rank; i++) {
        int a = i - (result.rank - into->rank), b = i - (result.rank - other->rank);
        int64_t da = a < 0 ? 1 : into->dims[a], db = b < 0 ? 1 : other->dims[b];
        if (da != db && da != 1 && db != 1) return false;
        result.dims[i] = da == 1 ? db : da;
    }
    *into = result;
    return true;
}

bool simContiguous(const struct simView *view)
{
    int64_t stride = 1;
    for (int i = view->shape.rank - 1; i >= 0; i--) {
        if (view->shape.dims[i] != 1 && view->strides[i] != stride) return false;
        stride *= view->shape.dims[i];
    }
    return true;
}

struct simView simExpand(const struct simView *view, const struct simShape *shape)
{
    struct simView expanded = *view;
    expanded.shape = *shape;
    for (int i = 0; i < shape->rank; i++) {
        int from = i - (shape->rank - view->shape.rank);
        bool repeated = from < 0 || view->shape.dims[from] == 1;
        expanded.strides[i] = repeated ? 0 : view->strides[from];
    }
    return expanded;
}

const char *simShapeText(const struct simShape *shape, char text[SIM_SHAPE_TEXT])
{
    int n = snprintf(text, SIM_SHAPE_TEXT, "[");
    for (int i = 0; i < shape->rank && n < SIM_SHAPE_TEXT - 24; i++)
        n += snprintf(text + n, SIM_SHAPE_TEXT - (size_t)n, i == 0 ? "%lld" : ", %lld", (long long)shape->dims[i]);
    snprintf(text + n, SIM_SHAPE_TEXT - (size_t)n, "]");
    return text;
}

const char *simTypeName(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT: return "FLOAT";
    case ACL_FLOAT16: return "FLOAT16";
    case ACL_BF16: return "BFLOAT16";
    case ACL_DOUBLE: return "DOUBLE";
    case ACL_INT8: return "INT8";
    case ACL_INT16: return "INT16";
    case ACL_INT32: return "INT32";
    case ACL_INT64: return "INT64";
    case ACL_UINT8: return "UINT8";
    case ACL_UINT16: return "UINT16";
    case ACL_UINT32: return "UINT32";
    case ACL_UINT64: return "UINT64";
    case ACL_BOOL: return "BOOL";
    default: return "a data type that the simulator does not have";
    }
}
