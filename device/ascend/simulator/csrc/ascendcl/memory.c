/*
 * Device memory. One memory file is mapped twice: what aclrtMalloc returns lies in a
 * mapping that the host cannot touch, and the library works through the other one.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ALIGNMENT = 64,
    UNINITIALISED = 0xFF, /* a byte that makes NaN of every floating-point type */
    CHUNK = 1 << 16
};

struct block {
    uintptr_t start;
    uint64_t size;   /* as asked for */
    uint64_t extent; /* with padding */
};

/* Blocks in the order of their addresses. */
struct blocks {
    struct block *at;
    size_t count, capacity;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static uint64_t capacity;
static char *outside, *inside; /* the host's mapping and the library's */
static unsigned char *fresh;   /* for each chunk, whether it is still to be filled before it is used */
static struct blocks device, host;
static uint64_t inUse;   /* bytes of device memory, with padding */
static uintptr_t cursor; /* the search for room starts here, so that freed addresses come back late */

void simLockMemory(void) { pthread_mutex_lock(&mutex); }

void simUnlockMemory(void) { pthread_mutex_unlock(&mutex); }

/* The device has half as much memory as the machine, but no more than a 910B. */
static uint64_t deviceCapacity(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : 0;
    const uint64_t least = UINT64_C(1) << 30, most = UINT64_C(64) << 30;
    return half < least ? least : half > most ? most : half;
}

/* Makes the two mappings, once for the life of the process. */
static bool mapDevice(void)
{
    if (outside != NULL) return true;
    uint64_t bytes = deviceCapacity();
    int fd = memfd_create("ascend-simulator", MFD_CLOEXEC);
    if (fd < 0) return false;
    void *a = MAP_FAILED, *b = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0) {
        a = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        b = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    }
    unsigned char *flags = calloc((size_t)(bytes / CHUNK + 1), 1);
    if (a == MAP_FAILED || b == MAP_FAILED || flags == NULL) {
        free(flags);
        if (a != MAP_FAILED) munmap(a, (size_t)bytes);
        if (b != MAP_FAILED) munmap(b, (size_t)bytes);
        close(fd);
        return false;
    }
    madvise(b, (size_t)bytes, MADV_DONTDUMP);
    file = fd;
    capacity = bytes;
    outside = a;
    inside = b;
    fresh = flags;
    cursor = (uintptr_t)a;
    return true;
}

/* Returns the index of the first block that ends after address. */
static size_t position(const struct blocks *blocks, uintptr_t address)
{
    size_t low = 0, high = blocks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct block *b = &blocks->at[middle];
        if (b->start + b->extent > address) high = middle;
        else low = middle + 1;
    }
    return low;
}

static bool insert(struct blocks *blocks, struct block added)
{
    if (blocks->count == blocks->capacity) {
        size_t larger = blocks->capacity == 0 ? 64 : 2 * blocks->capacity;
        struct block *at = realloc(blocks->at, larger * sizeof *at);
        if (at == NULL) return false;
        blocks->at = at;
        blocks->capacity = larger;
    }
    size_t i = position(blocks, added.start);
    memmove(&blocks->at[i + 1], &blocks->at[i], (blocks->count - i) * sizeof *blocks->at);
    blocks->at[i] = added;
    blocks->count++;
    return true;
}

/* Takes out the block that starts at address; false if none does. */
static bool take(struct blocks *blocks, uintptr_t address, struct block *taken)
{
    size_t i = position(blocks, address);
    if (i == blocks->count || blocks->at[i].start != address) return false;
    *taken = blocks->at[i];
    memmove(&blocks->at[i], &blocks->at[i + 1], (blocks->count - i - 1) * sizeof *blocks->at);
    blocks->count--;
    return true;
}

static uintptr_t roundUp(uintptr_t n, uintptr_t to) { return (n + to - 1) / to * to; }

/* Returns the start of the first gap at or after from that holds extent bytes, or 0. */
static uintptr_t gap(uintptr_t from, uint64_t extent)
{
    size_t i = position(&device, from);
    if (i < device.count && device.at[i].start < from) from = device.at[i].start;
    uintptr_t end = (uintptr_t)outside + capacity;
    for (;; i++) {
        uintptr_t next = i < device.count ? device.at[i].start : end;
        if (next >= from && next - from >= extent) return from;
        if (i >= device.count) return 0;
        from = roundUp(device.at[i].start + device.at[i].extent, ALIGNMENT);
    }
}

/* Whether address lies in the mapping that the host sees as device memory. */
static bool onDevice(const void *address)
{
    return outside != NULL && (uintptr_t)address >= (uintptr_t)outside &&
           (uintptr_t)address - (uintptr_t)outside < capacity;
}

/* Fills the chunks from one byte of device memory to another that are still to be filled. */
static void fill(uint64_t from, uint64_t to)
{
    for (uint64_t i = from / CHUNK; i * CHUNK < to; i++) {
        if (!fresh[i]) continue;
        memset(inside + i * CHUNK, UNINITIALISED, CHUNK);
        fresh[i] = 0;
    }
}

/*
 * Makes a new block's contents undefined: at once where it has part of a chunk, and where it has all of
 * it on first use, so that a large block costs no more than what is used of it.
 */
static void spoil(uint64_t from, uint64_t to)
{
    uint64_t head = roundUp(from, CHUNK), tail = to / CHUNK * CHUNK;
    if (head > to) head = to;
    if (tail < head) tail = head;
    fill(from, head);
    fill(tail, to);
    memset(inside + from, UNINITIALISED, (size_t)(head - from));
    memset(inside + tail, UNINITIALISED, (size_t)(to - tail));
    memset(fresh + head / CHUNK, 1, (size_t)((tail - head) / CHUNK));
}

void *simResolve(const void *address, int64_t begin, int64_t end, char reason[SIM_REASON_SIZE])
{
    if (!onDevice(address)) {
        snprintf(reason, SIM_REASON_SIZE, "is at %p, which is no device memory", address);
        return NULL;
    }
    uintptr_t at = (uintptr_t)address;
    size_t i = position(&device, at);
    if (i == device.count || device.at[i].start > at) {
        snprintf(reason, SIM_REASON_SIZE, "is at %p, device memory that is not allocated, or no longer", address);
        return NULL;
    }
    const struct block *b = &device.at[i];
    int64_t skipped = (int64_t)(at - b->start), first, last;
    bool counts = !__builtin_add_overflow(skipped, begin, &first) && !__builtin_add_overflow(skipped, end, &last);
    if (!counts) {
        snprintf(reason, SIM_REASON_SIZE, "reaches further than an address can");
        return NULL;
    }
    if (first < 0 || last < first || (uint64_t)last > b->size) {
        snprintf(reason, SIM_REASON_SIZE, "takes bytes %lld to %lld of an allocation of %llu", (long long)first,
                 (long long)last, (unsigned long long)b->size);
        return NULL;
    }
    uint64_t start = b->start - (uintptr_t)outside;
    fill(start + (uint64_t)first, start + (uint64_t)last);
    return inside + start + first;
}

static aclError allocate(const char *function, void **devPtr, size_t size, bool padded)
{
    if (devPtr == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is NULL", function);
    if (size == 0) return simFail(ACL_ERROR_INVALID_PARAM, "%s: the size is 0", function);
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    struct simContext *context = simAcquireContext(function, &code);
    if (context == NULL) return code;
    simRelease(context);
    bool refused = simCount(SIM_MALLOC);

    simLockMemory();
    uintptr_t start = 0;
    if (!refused && mapDevice() && size <= capacity) {
        struct block b = {.size = size, .extent = roundUp(size, 32) + (padded ? 32 : 0)};
        start = gap(cursor, b.extent);
        if (start == 0) start = gap((uintptr_t)outside, b.extent);
        b.start = start;
        if (start != 0 && insert(&device, b)) {
            inUse += b.extent;
            cursor = roundUp(start + b.extent, ALIGNMENT);
            spoil(start - (uintptr_t)outside, start - (uintptr_t)outside + b.extent);
        } else {
            start = 0;
        }
    }
    uint64_t left = capacity - inUse;
    simUnlockMemory();
    if (start == 0)
        return simFail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no room for %zu bytes; %llu are free%s", function, size,
                       (unsigned long long)left, refused ? ", but this allocation was to fail" : "");
    *devPtr = (void *)start;
    return ACL_SUCCESS;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy; /* any is accepted */
    return allocate("aclrtMalloc", devPtr, size, true);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return allocate("aclrtMallocAlign32", devPtr, size, false);
}

aclError aclrtFree(void *devPtr)
{
    if (devPtr == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtFree: devPtr is NULL");
    struct block freed;
    simLockMemory();
    bool found = take(&device, (uintptr_t)devPtr, &freed);
    if (found) {
        inUse -= freed.extent;
        /* Whole pages of a large block go back to the machine. */
        uintptr_t page = 4096, from = roundUp(freed.start, page) - (uintptr_t)outside,
                  to = (freed.start + freed.extent) / page * page - (uintptr_t)outside;
        if (to > from && to - from >= 64 * page)
            (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
    }
    simUnlockMemory();
    if (!found)
        return simFail(ACL_ERROR_RT_PARAM_INVALID,
                       "aclrtFree: %p is not the start of a live allocation of device memory", devPtr);
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    if (hostPtr == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: hostPtr is NULL");
    if (size == 0) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: the size is 0");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    simRelease(context);
    void *allocated = NULL;
    bool failed = simCount(SIM_MALLOC);
    if (!failed) {
        failed = posix_memalign(&allocated, ALIGNMENT, size) != 0;
        if (failed) allocated = NULL;
    }
    if (!failed) {
        struct block b = {.start = (uintptr_t)allocated, .size = size, .extent = size};
        memset(allocated, UNINITIALISED, size);
        simLockMemory();
        failed = !insert(&host, b);
        simUnlockMemory();
    }
    if (failed) {
        free(allocated);
        return simFail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost: no room for %zu bytes", size);
    }
    *hostPtr = allocated;
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void *hostPtr)
{
    if (hostPtr == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost: hostPtr is NULL");
    struct block freed;
    simLockMemory();
    bool found = take(&host, (uintptr_t)hostPtr, &freed);
    simUnlockMemory();
    if (!found)
        return simFail(ACL_ERROR_RT_PARAM_INVALID,
                       "aclrtFreeHost: %p is not the start of a live allocation of host memory", hostPtr);
    free(hostPtr);
    return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *freeSize, size_t *totalSize)
{
    if (freeSize == NULL || totalSize == NULL)
        return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: freeSize or totalSize is NULL");
    SIM_REFUSE_IF_LOST();
    if ((int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_NORMAL)
        return simFail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "aclrtGetMemInfo: %d is no kind of memory", (int)attr);
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    simRelease(context);
    simLockMemory();
    bool mapped = mapDevice();
    *totalSize = (size_t)capacity;
    *freeSize = (size_t)(capacity - inUse);
    simUnlockMemory();
    if (!mapped) return simFail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtGetMemInfo: there is no room for device memory");
    return ACL_SUCCESS;
}

/* ---- copies ---- */

struct transfer {
    void *to;
    const void *from; /* NULL: fill with value */
    size_t count;
    int value;
};

/* Turns an address of either side into one that can be used. Needs the lock. */
static void *reach(const void *address, size_t count, char reason[SIM_REASON_SIZE])
{
    if (onDevice(address)) return simResolve(address, 0, count > INT64_MAX ? INT64_MAX : (int64_t)count, reason);
    return (void *)(uintptr_t)address;
}

/* The direction is what the addresses say, as CANN documents it; kind only has to be a known one. */
static int perform(void *argument, char message[SIM_MESSAGE_SIZE])
{
    const struct transfer *t = argument;
    char reason[SIM_REASON_SIZE];
    const char *which = "the destination";
    simLockMemory();
    void *to = reach(t->to, t->count, reason);
    const void *from = NULL;
    if (to != NULL && t->from != NULL) {
        which = "the source";
        from = reach(t->from, t->count, reason);
    }
    bool good = to != NULL && (t->from == NULL || from != NULL);
    if (good && from == NULL) memset(to, t->value, t->count);
    if (good && from != NULL) memmove(to, from, t->count);
    simUnlockMemory();
    if (good) return ACL_SUCCESS;
    snprintf(message, SIM_MESSAGE_SIZE, "%s %s", which, reason);
    return ACL_ERROR_RT_PARAM_INVALID;
}

/* The checks of copies and fills. Returns true if nothing remains to be done, with the code. */
static bool checkTransfer(const char *function, const struct transfer *t, bool fill, size_t room, int kind,
                          aclError *code)
{
    *code = ACL_SUCCESS;
    if (t->count == 0) return true;
    if (t->to == NULL || (!fill && t->from == NULL))
        *code =
            simFail(ACL_ERROR_INVALID_PARAM, "%s: the %s is NULL", function, t->to == NULL ? "destination" : "source");
    else if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
        *code = simFail(ACL_ERROR_INVALID_PARAM, "%s: %d is no kind of copy", function, kind);
    else if (simLost()) *code = simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    else if (!fill && simCount(SIM_COPY))
        *code = simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: this copy was to fail", function);
    else if (t->count > room)
        *code = simFail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes do not fit into the destination's %zu", function,
                        t->count, room);
    return *code != ACL_SUCCESS || t->to == t->from;
}

static aclError transferNow(const char *function, struct transfer *t)
{
    aclError code;
    struct simContext *context = simAcquireContext(function, &code);
    if (context == NULL) return code;
    simRelease(context);
    char message[SIM_MESSAGE_SIZE];
    code = perform(t, message);
    return code == ACL_SUCCESS ? code : simFail(code, "%s: %s", function, message);
}

static aclError transferLater(const char *function, const struct transfer *t, aclrtStream stream)
{
    aclError code;
    void *s = simAcquireStream(function, stream, &code);
    if (s == NULL) return code;
    struct transfer *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        code = simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    } else {
        *copy = *t;
        code = simSubmit(s, perform, free, copy);
    }
    simRelease(s);
    return code;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    struct transfer t = {.to = dst, .from = src, .count = count};
    aclError code;
    if (checkTransfer("aclrtMemcpy", &t, false, destMax, (int)kind, &code)) return code;
    return transferNow("aclrtMemcpy", &t);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    struct transfer t = {.to = dst, .from = src, .count = count};
    aclError code;
    if (checkTransfer("aclrtMemcpyAsync", &t, false, destMax, (int)kind, &code)) return code;
    return transferLater("aclrtMemcpyAsync", &t, stream);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    struct transfer t = {.to = devPtr, .count = count, .value = value};
    aclError code;
    if (checkTransfer("aclrtMemset", &t, true, maxCount, 0, &code)) return code;
    return transferNow("aclrtMemset", &t);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    struct transfer t = {.to = devPtr, .count = count, .value = value};
    aclError code;
    if (checkTransfer("aclrtMemsetAsync", &t, true, maxCount, 0, &code)) return code;
    return transferLater("aclrtMemsetAsync", &t, stream);
}

/* ---- at the end ---- */

int64_t simAliveBuffers(void)
{
    simLockMemory();
    int64_t n = (int64_t)(device.count + host.count);
    simUnlockMemory();
    return n;
}

void simListBuffers(FILE *report)
{
    simLockMemory();
    for (size_t i = 0; i < device.count; i++)
        fprintf(report, "ascendsim: leaked: device buffer of %llu bytes\n", (unsigned long long)device.at[i].size);
    for (size_t i = 0; i < host.count; i++)
        fprintf(report, "ascendsim: leaked: host buffer of %llu bytes\n", (unsigned long long)host.at[i].size);
    simUnlockMemory();
}

void simFreeAll(void)
{
    simLockMemory();
    if (device.count > 0) (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)capacity);
    free(device.at);
    for (size_t i = 0; i < host.count; i++) free((void *)host.at[i].start);
    free(host.at);
    memset(&device, 0, sizeof device);
    memset(&host, 0, sizeof host);
    inUse = 0;
    simUnlockMemory();
}
