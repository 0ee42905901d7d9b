/* Error messages, one for each thread. */
#include "internal.h"

#include <string.h>

static _Thread_local char pending[SIM_MESSAGE_SIZE + 96];
static _Thread_local char handed[SIM_MESSAGE_SIZE + 96];

/* The module that CANN names at the start of a message: EZ operators, EE run-time, EL driver. */
static const char *prefix(int code)
{
    switch (code / 1000) {
    case 161: return "EZ1001";
    case 361:
    case 561: return "EZ9999";
    case 100:
    case 107:
    case 200: return "EE1001";
    case 207: return "EL0004";
    default: return "EE9999";
    }
}

int simFail(int code, const char *format, ...)
{
    char sentence[SIM_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(pending, sizeof pending, "%s: %s (%d, Ascend simulator)", prefix(code), sentence, code);
    return code;
}

void simWarn(const char *format, ...)
{
    char sentence[SIM_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    fprintf(stderr, "ascendsim: warning: %s\n", sentence);
}

const char *aclGetRecentErrMsg(void)
{
    if (pending[0] == '\0') return NULL;
    memcpy(handed, pending, sizeof handed);
    pending[0] = '\0';
    return handed;
}
