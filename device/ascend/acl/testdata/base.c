/* libnnopbase.so of the fake CANN: every object is the text of what it was made of.
   -DOLD builds one without the functions that came later, -DLASTING one without aclDestroyAclOpExecutor,
   -DLACKING one without aclCreateIntArray, -DNEEDY one that calls libfakewrap.so. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NEEDY
extern int fakeWrap(const char *);
int fakeNeed(void) { return fakeWrap("hello"); }
#endif

struct object { char text[512]; };

static struct object *object(void) { return calloc(1, sizeof(struct object)); }

static void append(struct object *o, const char *label, const int64_t *values, uint64_t n) {
    char *end = o->text + strlen(o->text);
    end += sprintf(end, " %s", label);
    if (values == NULL) end += sprintf(end, " NULL");
    for (uint64_t i = 0; i < n; i++) end += sprintf(end, " %" PRId64, values[i]);
}

const char *fakeText(const struct object *o) { return o->text; }

struct object *aclCreateTensor(const int64_t *shape, uint64_t rank, int dtype, const int64_t *strides, int64_t offset, int format,
                               const int64_t *storage, uint64_t storageRank, void *data) {
    if (data == NULL) return NULL;
    struct object *o = object();
    sprintf(o->text, "dtype %d offset %" PRId64 " format %d data %" PRIxPTR, dtype, offset, format, (uintptr_t)data);
    append(o, "shape", shape, rank);
    append(o, "strides", strides, strides == NULL ? 0 : rank);
    append(o, "storage", storage, storageRank);
    return o;
}
struct object *aclCreateScalar(void *value, int dtype) {
    struct object *o = object();
    if (dtype == 0) sprintf(o->text, "float %.9g", *(float *)value);
    if (dtype == 11) sprintf(o->text, "double %.17g", *(double *)value);
    if (dtype == 9) sprintf(o->text, "int64_t %" PRId64, *(int64_t *)value);
    if (dtype == 12) sprintf(o->text, "bool %d", *(unsigned char *)value);
    return o;
}
#ifndef LACKING
struct object *aclCreateIntArray(const int64_t *values, uint64_t n) {
    struct object *o = object();
    append(o, "ints", values, n);
    return o;
}
#endif
static int destroy(struct object *o) {
    free(o);
    return 0;
}
int aclDestroyTensor(struct object *o) { return destroy(o); }
int aclDestroyScalar(struct object *o) { return destroy(o); }
int aclDestroyIntArray(struct object *o) { return destroy(o); }

#ifndef OLD
int aclSetAclOpExecutorRepeatable(void *e) { return e == NULL ? 561103 : 0; }
#ifndef LASTING
int aclDestroyAclOpExecutor(void *e) { return e == NULL ? 561103 : 0; }
#endif
#endif
