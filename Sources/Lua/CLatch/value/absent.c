/// Names that Lua, its older releases or other languages have, but the sandbox does not have.

#include <string.h>

#include "value/value.h"

typedef struct {
  const char *path, *advice;
} latch_absence;

static const char text_advice[] = "a flow runs only its own files";
static const char module_advice[] = "require \"name\" runs a module of the flow's folder";
static const char bits_advice[] = "Lua has operators: & | ~ << >>";
static const char environment_advice[] = "there are no environments";
static const char length_advice[] = "write #t";

/// Globals, then fields of globals.
static const latch_absence absences[] = {
  {"_G", "name the global itself"},
  {"arg", "a flow has no arguments, only actions"},
  {"bit", bits_advice},
  {"bit32", bits_advice},
  {"collectgarbage", "the host manages the memory"},
  {"debug", "a flow cannot inspect itself"},
  {"dofile", module_advice},
  {"gcinfo", "the host manages the memory"},
  {"getfenv", environment_advice},
  {"io", "print writes to the host's log, and a capability of the host can do more"},
  {"jit", "this is Lua 5.4"},
  {"load", text_advice},
  {"loadfile", module_advice},
  {"loadstring", text_advice},
  {"module", "a module returns a table"},
  {"newproxy", "setmetatable({}, ...) does the same"},
  {"os", "a flow has no access to the system; use now(), date() or a capability of the host"},
  {"package", module_advice},
  {"setfenv", environment_advice},
  {"unpack", "write table.unpack"},
  {"warn", "write print"},
  {"coroutine.close", "an effect is closed when it ends"},
  {"math.ldexp", "write x * 2 ^ y"},
  {"math.pow", "write x ^ y"},
  {"math.randomseed", "random() replays, and needs no seed"},
  {"os.clock", "now() is the flow's time"},
  {"os.date", "date(born() + now()) returns the time in UTC"},
  {"os.time", "now() is the flow's time, born() when its case began"},
  {"string.dump", text_advice},
  {"string.gfind", "write string.gmatch"},
  {"table.foreach", "write for key, value in pairs(t)"},
  {"table.foreachi", "write for index, value in ipairs(t)"},
  {"table.getn", length_advice},
  {"table.maxn", length_advice},
};

/// Names from other languages, and the state where a function does not get it.
static const latch_absence foreign[] = {
  {"False", "Lua writes false"},
  {"None", "Lua writes nil, and a type or a field is declared as none"},
  {"NULL", "Lua writes nil"},
  {"Null", "Lua writes nil"},
  {"True", "Lua writes true"},
  {"catch", "Lua has no try and catch: pcall(f, ...) returns false and the error"},
  {"console", "write print"},
  {"null", "Lua writes nil"},
  {"parseInt", "write tonumber or math.tointeger"},
  {"s", "an effect sees views, not the state: declare a view; reducers, rules and views get the "
        "state as their first parameter"},
  {"setTimeout", "after(seconds, action) does that in an effect, and after = { ... } in a state"},
  {"this", "Lua has no this: an effect gets its scope as its first parameter, self"},
  {"throw", "write error(...)"},
  {"try", "Lua has no try and catch: pcall(f, ...) returns false and the error"},
  {"undefined", "Lua writes nil"},
};

enum {
  ABSENCES = sizeof absences / sizeof *absences,
  FOREIGN_NAMES = sizeof foreign / sizeof *foreign,
};

static const char *advice_in(const latch_absence *names, int count, const char *path) {
  for (int i = 0; i < count; i++) {
    if (strcmp(path, names[i].path) == 0) return names[i].advice;
  }
  return NULL;
}

const char *latch_absent_advice(const char *path) {
  const char *advice = advice_in(absences, ABSENCES, path);
  return advice != NULL ? advice : advice_in(foreign, FOREIGN_NAMES, path);
}

bool latch_is_absent_global(const char *name) {
  return strchr(name, '.') == NULL && advice_in(absences, ABSENCES, name) != NULL;
}

void latch_push_advice(lua_State *L, int names, const char *name) {
  const char *advice = strchr(name, '.') == NULL ? latch_absent_advice(name) : NULL;
  if (advice != NULL) lua_pushfstring(L, "; %s", advice);
  else latch_push_suggestion(L, names, name);
}

// MARK: Nil

/// The advice for the name of a variable, or of a field of an unnamed library.
static const latch_absence *find_absence(const char *name, size_t length, bool is_field) {
  for (int i = 0; i < ABSENCES; i++) {
    const char *path = absences[i].path, *dot = strchr(path, '.');
    // Lua's message does not name the library: names that many other libraries use are not meant.
    if (dot != NULL && (!is_field || strcmp(dot, ".close") == 0)) continue;
    const char *last = dot == NULL ? path : dot + 1;
    if (strlen(last) == length && memcmp(last, name, length) == 0) return &absences[i];
  }
  return NULL;
}

void latch_explain_nil(lua_State *L) {
  static const char said[] = " a nil value (";
  const char *text = lua_tostring(L, -1);
  const char *found = text == NULL ? NULL : strstr(text, said);
  if (found == NULL) return;
  const char *kind = found + sizeof said - 1, *name = strchr(kind, '\'');
  const char *end = name == NULL ? NULL : strchr(name + 1, '\'');
  if (end == NULL) return;
  const latch_absence *absence =
    find_absence(name + 1, (size_t)(end - name - 1), strncmp(kind, "field", 5) == 0);
  if (absence == NULL) return;
  lua_pushfstring(L, "%s: flows have no %s; %s", text, absence->path, absence->advice);
  lua_remove(L, -2);
}
