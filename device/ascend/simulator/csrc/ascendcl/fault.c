/* Counters, and faults on request. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ascendsim.h"

static const char *const counterNames[SIM_COUNTERS] = {"malloc", "plan", "launch", "copy", "task"};
static const char *const switchNames[SIM_SWITCHES] = {"no-bf16", "no-repeat", "exp-overflow"};

struct faults {
    uint64_t at[SIM_COUNTERS]; /* which one fails; 0 for none */
    bool on[SIM_SWITCHES];
    uint64_t lostAfter;
    int64_t stall;
    char report[256];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct faults faults;
static bool chosen; /* by ascendsimSetFaults, so that the environment has no say */
static bool lost;
static uint64_t counted[SIM_COUNTERS]; /* since aclInit */
static uint64_t armed[SIM_COUNTERS];   /* since aclInit or ascendsimSetFaults */

static bool parseNumber(const char *text, int64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    long long n = strtoll(text, &end, 10);
    *value = n;
    return *end == '\0' && n <= INT32_MAX;
}

/* Reads one fault, such as "malloc=3" or "no-bf16". */
static bool parseFault(char *text, struct faults *parsed)
{
    for (int i = 0; i < SIM_SWITCHES; i++) {
        if (strcmp(text, switchNames[i]) == 0) {
            parsed->on[i] = true;
            return true;
        }
    }
    char *value = strchr(text, '=');
    if (value == NULL) return false;
    *value++ = '\0';
    if (strcmp(text, "report") == 0) {
        size_t size = strlen(value) + 1;
        if (size == 1 || size > sizeof parsed->report) return false;
        memcpy(parsed->report, value, size);
        return true;
    }
    int64_t number;
    if (!parseNumber(value, &number)) return false;
    if (strcmp(text, "stall") == 0) {
        parsed->stall = number;
        return true;
    }
    if (number < 1) return false;
    if (strcmp(text, "lost") == 0) {
        parsed->lostAfter = (uint64_t)number;
        return true;
    }
    for (int i = 0; i < SIM_COUNTERS; i++) {
        if (strcmp(text, counterNames[i]) == 0) {
            parsed->at[i] = (uint64_t)number;
            return true;
        }
    }
    return false;
}

/* Reads a whole specification. On failure what could not be read is left in bad. */
static bool parseFaults(const char *spec, struct faults *parsed, char bad[64])
{
    memset(parsed, 0, sizeof *parsed);
    char item[384];
    while (*spec != '\0') {
        size_t n = strcspn(spec, ";");
        bool good = n < sizeof item;
        snprintf(item, sizeof item, "%.*s", (int)(n < sizeof item ? n : sizeof item - 1), spec);
        snprintf(bad, 64, "%.63s", item);
        if (n > 0 && !(good && parseFault(item, parsed))) return false;
        spec += n + (spec[n] == ';');
    }
    return true;
}

/* Needs the mutex. */
static void arm(const struct faults *parsed)
{
    faults = *parsed;
    lost = false;
    memset(armed, 0, sizeof armed);
}

void ascendsimSetFaults(const char *spec)
{
    struct faults parsed;
    char bad[64];
    if (!parseFaults(spec == NULL ? "" : spec, &parsed, bad)) {
        fprintf(stderr, "ascendsim: ascendsimSetFaults cannot read \"%s\"; no faults are set\n", bad);
        memset(&parsed, 0, sizeof parsed);
    }
    pthread_mutex_lock(&mutex);
    chosen = true;
    arm(&parsed);
    pthread_mutex_unlock(&mutex);
}

aclError simReadFaults(void)
{
    aclError code = ACL_SUCCESS;
    const char *spec = getenv("ASCENDSIM_FAULTS");
    struct faults parsed;
    char bad[64];
    pthread_mutex_lock(&mutex);
    if (chosen) {
        parsed = faults;
    } else if (!parseFaults(spec == NULL ? "" : spec, &parsed, bad)) {
        code = simFail(ACL_ERROR_INVALID_PARAM,
                       "aclInit: ASCENDSIM_FAULTS has \"%s\", which is no fault; see ascendsim.h", bad);
        memset(&parsed, 0, sizeof parsed);
    }
    arm(&parsed);
    memset(counted, 0, sizeof counted);
    pthread_mutex_unlock(&mutex);
    return code;
}

uint64_t ascendsimCounter(const char *name)
{
    uint64_t n = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < SIM_TASK && name != NULL; i++) {
        if (strcmp(name, counterNames[i]) == 0) n = counted[i];
    }
    pthread_mutex_unlock(&mutex);
    return n;
}

bool simCount(enum simCounter counter)
{
    pthread_mutex_lock(&mutex);
    counted[counter]++;
    armed[counter]++;
    bool fails = armed[counter] == faults.at[counter];
    pthread_mutex_unlock(&mutex);
    return fails;
}

void simLaunched(void)
{
    pthread_mutex_lock(&mutex);
    if (faults.lostAfter != 0 && armed[SIM_LAUNCH] >= faults.lostAfter) lost = true;
    pthread_mutex_unlock(&mutex);
}

bool simSwitchedOn(enum simSwitch fault)
{
    pthread_mutex_lock(&mutex);
    bool on = faults.on[fault];
    pthread_mutex_unlock(&mutex);
    return on;
}

bool simLost(void)
{
    pthread_mutex_lock(&mutex);
    bool is = lost;
    pthread_mutex_unlock(&mutex);
    return is;
}

void simReportFile(char name[SIM_MESSAGE_SIZE])
{
    pthread_mutex_lock(&mutex);
    snprintf(name, SIM_MESSAGE_SIZE, "%s", faults.report);
    pthread_mutex_unlock(&mutex);
}

void simStall(pthread_mutex_t *held, pthread_cond_t *wake, const bool *stop)
{
    pthread_mutex_lock(&mutex);
    int64_t stall = faults.stall;
    pthread_mutex_unlock(&mutex);
    if (stall == 0) return;
    struct timespec until = simDeadline(stall);
    while (!*stop && pthread_cond_timedwait(wake, held, &until) == 0) {
    }
}
