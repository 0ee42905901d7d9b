/* Handles and the objects behind them. */
#include "internal.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { SPACING = 16, BUCKETS = 4096 };

static const uint64_t rangeSize = UINT64_C(1) << 32;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct simObject *buckets[BUCKETS];
static int64_t alive;
static char *range;
static uint64_t used;

static struct simObject **bucket(const void *handle) { return &buckets[((uintptr_t)handle / SPACING) % BUCKETS]; }

/* Returns the pointer to the object with that handle, or to the NULL that ends the list. Needs the mutex. */
static struct simObject **find(const void *handle, enum simKind kind)
{
    struct simObject **at = bucket(handle);
    while (*at != NULL && ((*at)->handle != handle || (*at)->kind != kind)) at = &(*at)->next;
    return at;
}

void *simOpen(void *opened, enum simKind kind, const char *label, void (*destroy)(void *))
{
    struct simObject *object = opened;
    pthread_mutex_lock(&mutex);
    if (range == NULL) {
        void *mapped = mmap(NULL, (size_t)rangeSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped != MAP_FAILED) range = mapped;
    }
    void *handle = NULL;
    if (range != NULL && used < rangeSize) {
        handle = range + used;
        used += SPACING;
        object->kind = kind;
        object->references = 1;
        object->handle = handle;
        object->destroy = destroy;
        object->label = label;
        object->left = false;
        object->next = *bucket(handle);
        *bucket(handle) = object;
        alive += kind != SIM_DEFAULT_STREAM;
    }
    pthread_mutex_unlock(&mutex);
    return handle;
}

void *simAcquire(const void *handle, enum simKind kind)
{
    pthread_mutex_lock(&mutex);
    struct simObject *object = *find(handle, kind);
    if (object != NULL && object->left) object = NULL;
    if (object != NULL) object->references++;
    pthread_mutex_unlock(&mutex);
    return object;
}

void simRetain(void *retained)
{
    struct simObject *object = retained;
    pthread_mutex_lock(&mutex);
    object->references++;
    pthread_mutex_unlock(&mutex);
}

void simRelease(void *released)
{
    struct simObject *object = released;
    pthread_mutex_lock(&mutex);
    bool last = --object->references == 0;
    pthread_mutex_unlock(&mutex);
    if (last) object->destroy(object);
}

void *simTake(const void *handle, enum simKind kind)
{
    pthread_mutex_lock(&mutex);
    struct simObject **at = find(handle, kind);
    struct simObject *object = *at;
    if (object != NULL) {
        *at = object->next;
        alive -= kind != SIM_DEFAULT_STREAM && !object->left;
    }
    pthread_mutex_unlock(&mutex);
    return object;
}

bool simClose(const void *handle, enum simKind kind)
{
    void *object = simTake(handle, kind);
    if (object != NULL) simRelease(object);
    return object != NULL;
}

int64_t simAliveHandles(void)
{
    pthread_mutex_lock(&mutex);
    int64_t n = alive;
    pthread_mutex_unlock(&mutex);
    return n;
}

void simListHandles(FILE *file)
{
    static const char *const names[SIM_KINDS] = {
        [SIM_CONTEXT] = "context", [SIM_STREAM] = "stream", [SIM_EVENT] = "event", [SIM_TENSOR] = "tensor",
        [SIM_SCALAR] = "scalar",   [SIM_ARRAY] = "array",   [SIM_LIST] = "list",   [SIM_EXECUTOR] = "executor",
    };
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BUCKETS; i++) {
        for (const struct simObject *object = buckets[i]; object != NULL; object = object->next) {
            if (names[object->kind] != NULL && !object->left)
                fprintf(file, "ascendsim: leaked: %s %s\n", names[object->kind], object->label);
        }
    }
    pthread_mutex_unlock(&mutex);
}

void **simAcquireAll(enum simKind kind, size_t *count)
{
    void **objects = NULL;
    size_t room = 0;
    *count = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BUCKETS; i++) {
        for (struct simObject *object = buckets[i]; object != NULL; object = object->next) {
            if (object->kind != kind || object->left) continue;
            if (*count == room) {
                size_t larger = room == 0 ? 16 : 2 * room;
                void **at = realloc(objects, larger * sizeof *at);
                if (at == NULL) break;
                objects = at;
                room = larger;
            }
            object->references++;
            objects[(*count)++] = object;
        }
    }
    pthread_mutex_unlock(&mutex);
    return objects;
}

void simCloseKind(enum simKind kind)
{
    size_t count;
    void **objects = simAcquireAll(kind, &count);
    for (size_t i = 0; i < count; i++) {
        struct simObject *object = objects[i];
        simClose(object->handle, kind);
        simRelease(object);
    }
    free(objects);
}

void simLeaveKind(enum simKind kind)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BUCKETS; i++) {
        for (struct simObject *object = buckets[i]; object != NULL; object = object->next) {
            if (object->kind != kind || object->left) continue;
            object->left = true;
            alive--;
        }
    }
    pthread_mutex_unlock(&mutex);
}
