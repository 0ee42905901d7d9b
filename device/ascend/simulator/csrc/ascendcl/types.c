/* Sizes of data types, and half precision on the host. */
#include "internal.h"

#include <string.h>

size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32: return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    default: return 0; /* no whole number of bytes, or no size */
    }
}

float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000u) << 16, exponent = value >> 10 & 0x1f, fraction = value & 0x3ffu, bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        float small = (float)fraction * 0x1p-24f;
        memcpy(&bits, &small, sizeof bits);
        bits |= sign;
    }
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* As CANN's, it saturates: what is too large, infinities and NaN become the largest finite number. */
aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x477ff000u) return (aclFloat16)(sign | 0x7bffu);
    if (magnitude < 0x38800000u) { /* subnormal: a multiple of 2^-24, by adding a number whose last bit that is */
        float positive, shifted;
        memcpy(&positive, &magnitude, sizeof positive);
        shifted = positive + 0.5f;
        memcpy(&bits, &shifted, sizeof bits);
        return (aclFloat16)(sign | (bits - 0x3f000000u));
    }
    magnitude += 0xfffu + (magnitude >> 13 & 1); /* to nearest even */
    return (aclFloat16)(sign | (magnitude - 0x38000000u) >> 13);
}
