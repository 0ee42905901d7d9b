/* Beginning, end, and what there is to say of the library as a whole. */
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn/aclnn_base.h"
#include "ascendsim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t references;
static atomic_bool initialised; /* references > 0, but for the time that finalising takes */
static char *firstConfig;       /* of the process's first aclInit; "" for NULL */

bool simInitialised(void) { return atomic_load(&initialised); }

/* Needs the mutex. */
static aclError initialise(const char *config)
{
    if (firstConfig != NULL && strcmp(firstConfig, config) != 0)
        return simFail(ACL_ERROR_INVALID_PARAM, "aclInit: the configuration is \"%s\", but was \"%s\" before", config,
                       firstConfig);
    if (config[0] != '\0') {
        aclError code = simCheckConfig(config);
        if (code != ACL_SUCCESS) return code;
    }
    if (firstConfig == NULL) {
        firstConfig = malloc(strlen(config) + 1);
        if (firstConfig == NULL) return simFail(ACL_ERROR_BAD_ALLOC, "aclInit: out of host memory");
        strcpy(firstConfig, config);
    }
    return simReadFaults();
}

aclError aclInit(const char *configPath)
{
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&mutex);
    if (references == 0) code = initialise(configPath == NULL ? "" : configPath);
    else code = simFail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: already initialised, which need not be an error");
    if (code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_INITIALIZE) references++;
    atomic_store(&initialised, references > 0);
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Says what the program has left alive, where it was asked to, or else on standard error. */
static void reportLeaks(void)
{
    char name[SIM_MESSAGE_SIZE];
    simReportFile(name);
    int64_t alive = ascendsimAlive();
    if (alive == 0 && name[0] == '\0') return;
    bool toFile = name[0] != '\0' && strcmp(name, "stderr") != 0;
    FILE *report = toFile ? fopen(name, "w") : stderr;
    if (report == NULL) {
        fprintf(stderr, "ascendsim: the leak report %s cannot be written\n", name);
        return;
    }
    fprintf(report, "ascendsim: alive at aclFinalize: %lld\n", (long long)alive);
    simListHandles(report);
    simListBuffers(report);
    if (toFile) fclose(report);
}

/* Descriptors are the host's: destructors that run later may still destroy them. */
static void finalise(void)
{
    static const enum simKind descriptors[] = {SIM_TENSOR, SIM_SCALAR, SIM_ARRAY, SIM_LIST, SIM_EXECUTOR};
    atomic_store(&initialised, false); /* first, so that nobody makes a context that is not closed */
    reportLeaks();
    simCloseContexts();
    simCloseKind(SIM_EVENT);
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) simLeaveKind(descriptors[i]);
    simFreeAll();
}

static aclError letGo(const char *function, bool all, uint64_t *left)
{
    aclError code = ACL_SUCCESS;
    pthread_mutex_lock(&mutex);
    if (references == 0) {
        code = simFail(ACL_ERROR_REPEAT_FINALIZE, "%s: not initialised, or finalised before", function);
    } else {
        references = all ? 0 : references - 1;
        if (references == 0) finalise();
    }
    if (left != NULL) *left = references;
    pthread_mutex_unlock(&mutex);
    return code;
}

aclError aclFinalize(void) { return letGo("aclFinalize", true, NULL); }

aclError aclFinalizeReference(uint64_t *refCount) { return letGo("aclFinalizeReference", false, refCount); }

int64_t ascendsimAlive(void) { return simAliveHandles() + simAliveBuffers(); }

const char *aclrtGetSocName(void) { return "Ascend-Simulator"; }

/* The version of the interface, not of CANN. */
aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    if (majorVersion == NULL || minorVersion == NULL || patchVersion == NULL)
        return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion: an argument is NULL");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    if (pkgName == NULL || versionStr == NULL)
        return simFail(ACL_ERROR_INVALID_PARAM, "aclsysGetVersionStr: an argument is NULL");
    strcpy(versionStr, "ascend-simulator");
    return ACL_SUCCESS;
}
