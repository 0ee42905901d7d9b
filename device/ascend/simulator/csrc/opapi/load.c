/* Conversions between device memory and blocks of double. */
#include "kernel.h"

void simPositions(const struct simView *view, int64_t start, int n, int64_t *at)
{
    int rank = view->shape.rank;
    int64_t index[SIM_MAX_DIMS], position = view->offset;
    for (int i = rank - 1; i >= 0; i--) {
        index[i] = start % view->shape.dims[i];
        start /= view->shape.dims[i];
        position += index[i] * view->strides[i];
    }
    for (int k = 0; k < n; k++) {
        at[k] = position;
        for (int i = rank - 1; i >= 0; i--) {
            position += view->strides[i];
            if (++index[i] < view->shape.dims[i]) break;
            position -= view->shape.dims[i] * view->strides[i];
            index[i] = 0;
        }
    }
}

static double fromBFloat16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

/* Rounds to nearest even; what is too large becomes infinite. */
static uint16_t toFloat16(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    return aclFloatToFloat16(v);
}

static uint16_t toBFloat16(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* Truncates into [low, high]; limit is the least double above high. */
static int64_t toInteger(double v, int64_t low, int64_t high, double limit)
{
    if (v != v) return 0;
    if (v >= limit) return high;
    if (v <= (double)low) return low;
    return (int64_t)v;
}

#define LOAD(type, expression)                       \
    do {                                             \
        const type *from = (const void *)view->data; \
        for (int k = 0; k < n; k++) {                \
            type v = from[at[k]];                    \
            block[k] = (expression);                 \
        }                                            \
    } while (0)

void simLoad(const struct simView *view, int64_t start, int n, double *block)
{
    int64_t at[SIM_BLOCK];
    simPositions(view, start, n, at);
    switch (view->type) {
    case ACL_FLOAT: LOAD(float, (double)v); break;
    case ACL_FLOAT16: LOAD(uint16_t, (double)aclFloat16ToFloat(v)); break;
    case ACL_BF16: LOAD(uint16_t, fromBFloat16(v)); break;
    case ACL_DOUBLE: LOAD(double, v); break;
    case ACL_INT8: LOAD(int8_t, (double)v); break;
    case ACL_INT16: LOAD(int16_t, (double)v); break;
    case ACL_INT32: LOAD(int32_t, (double)v); break;
    case ACL_INT64: LOAD(int64_t, (double)v); break;
    case ACL_UINT8: LOAD(uint8_t, (double)v); break;
    case ACL_UINT16: LOAD(uint16_t, (double)v); break;
    case ACL_UINT32: LOAD(uint32_t, (double)v); break;
    case ACL_UINT64: LOAD(uint64_t, (double)v); break;
    case ACL_BOOL: LOAD(uint8_t, v != 0 ? 1.0 : 0.0); break;
    default: break; /* phase one lets no other type pass */
    }
}

#define STORE(type, expression)             \
    do {                                    \
        type *to = (void *)view->data;      \
        for (int k = 0; k < n; k++) {       \
            double v = block[k];            \
            to[at[k]] = (type)(expression); \
        }                                   \
    } while (0)

void simStore(const struct simView *view, int64_t start, int n, const double *block)
{
    int64_t at[SIM_BLOCK];
    simPositions(view, start, n, at);
    switch (view->type) {
    case ACL_FLOAT: STORE(float, v); break;
    case ACL_FLOAT16: STORE(uint16_t, toFloat16((float)v)); break;
    case ACL_BF16: STORE(uint16_t, toBFloat16((float)v)); break;
    case ACL_DOUBLE: STORE(double, v); break;
    case ACL_INT8: STORE(int8_t, toInteger(v, INT8_MIN, INT8_MAX, 128.0)); break;
    case ACL_INT16: STORE(int16_t, toInteger(v, INT16_MIN, INT16_MAX, 0x1p15)); break;
    case ACL_INT32: STORE(int32_t, toInteger(v, INT32_MIN, INT32_MAX, 0x1p31)); break;
    case ACL_INT64: STORE(int64_t, toInteger(v, INT64_MIN, INT64_MAX, 0x1p63)); break;
    case ACL_UINT8: STORE(uint8_t, toInteger(v, 0, UINT8_MAX, 256.0)); break;
    case ACL_UINT16: STORE(uint16_t, toInteger(v, 0, UINT16_MAX, 0x1p16)); break;
    case ACL_UINT32: STORE(uint32_t, toInteger(v, 0, UINT32_MAX, 0x1p32)); break;
    case ACL_UINT64: STORE(uint64_t, v >= 0x1p64 ? UINT64_MAX : v > 0 ? (uint64_t)v : 0); break;
    case ACL_BOOL: STORE(uint8_t, v != 0); break;
    default: break;
    }
}

double simLoadOne(const struct simView *view, int64_t index)
{
    double value = 0;
    simLoad(view, index, 1, &value);
    return value;
}

void simStoreOne(const struct simView *view, int64_t index, double value) { simStore(view, index, 1, &value); }
