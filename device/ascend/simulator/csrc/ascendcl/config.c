/* The configuration file of aclInit: nothing in it matters here, but it must be what CANN can read, a JSON object. */
#include "internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

/* Each of these reads one thing at the start of text and returns what is behind it, NULL if it is not there. */

static const char *space(const char *text) { return text + strspn(text, " \t\r\n"); }

static const char *character(const char *text, char wanted) { return *text == wanted ? text + 1 : NULL; }

static const char *string(const char *text)
{
    text = character(text, '"');
    while (text != NULL && *text != '"') {
        if ((unsigned char)*text < ' ') return NULL; /* the end, or a control character */
        if (*text++ != '\\') continue;
        if (*text == 'u') {
            for (int i = 1; i <= 4; i++) {
                if (!isxdigit((unsigned char)text[i])) return NULL;
            }
            text += 4;
        } else if (*text == '\0' || strchr("\"\\/bfnrt", *text) == NULL) {
            return NULL;
        }
        text++;
    }
    return text == NULL ? NULL : text + 1;
}

static const char *digits(const char *text)
{
    return isdigit((unsigned char)*text) ? text + strspn(text, "0123456789") : NULL;
}

static const char *number(const char *text)
{
    if (*text == '-') text++;
    text = *text == '0' ? text + 1 : digits(text);
    if (text != NULL && *text == '.') text = digits(text + 1);
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        text++;
        if (*text == '+' || *text == '-') text++;
        text = digits(text);
    }
    return text;
}

static const char *value(const char *text, int depth);

/* The members of an object or the elements of an array, from the opening bracket to the closing one. */
static const char *group(const char *text, int depth, char closing)
{
    if (depth == MAX_DEPTH) return NULL;
    text = space(text + 1);
    if (*text == closing) return text + 1;
    for (;;) {
        if (closing == '}') {
            text = string(text);
            if (text != NULL) text = character(space(text), ':');
            if (text == NULL) return NULL;
            text = space(text);
        }
        text = value(text, depth + 1);
        if (text == NULL) return NULL;
        text = space(text);
        if (*text == closing) return text + 1;
        text = character(text, ',');
        if (text == NULL) return NULL;
        text = space(text);
    }
}

static const char *value(const char *text, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0) return text + strlen(words[i]);
    }
    switch (*text) {
    case '{': return group(text, depth, '}');
    case '[': return group(text, depth, ']');
    case '"': return string(text);
    default: return number(text);
    }
}

/* Reads a whole file as a string; NULL if that cannot be done. */
static char *contents(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return NULL;
    size_t room = 4096, used = 0;
    char *text = malloc(room);
    while (text != NULL) {
        used += fread(text + used, 1, room - used - 1, file);
        if (used < room - 1) break;
        char *larger = realloc(text, room *= 2);
        if (larger == NULL) free(text);
        text = larger;
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    if (text == NULL || failed) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

aclError simCheckConfig(const char *path)
{
    char *text = contents(path);
    if (text == NULL) return simFail(ACL_ERROR_INVALID_FILE, "aclInit: %s cannot be read", path);
    const char *start = space(text), *end = *start == '{' ? value(start, 0) : NULL;
    bool good = end != NULL && *space(end) == '\0';
    free(text);
    return good ? ACL_SUCCESS : simFail(ACL_ERROR_PARSE_FILE, "aclInit: %s holds no JSON object", path);
}
