#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int emit(lua_State *L) {
  size_t length;
  const char *line = latch_tolstring(L, 1, &length);
  fwrite(line, 1, length, stdout);
  fputc('\n', stdout);
  return 0;
}

/// Adds arithmetic on strings to the sandbox if it is missing.
static int complete(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  if (lua_getfield(L, -1, "__add") == LUA_TNIL) {
    lua_pop(L, 1);
    latch_add_string_arithmetic(L);
  }
  return 0;
}

latch_vm *test_open(size_t memory_limit) {
  latch_vm *vm = latch_open(memory_limit);
  if (vm == NULL) {
    fputs("no VM\n", stderr);
    exit(2);
  }
  test_set_function(vm, "emit", emit);
  latch_protect(vm, complete, NULL, 0);
  return vm;
}

typedef struct {
  const char *name;
  lua_Integer value;
  lua_CFunction function;
} test_global;

static int set_global(lua_State *L) {
  test_global *request = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_GLOBALS);
  if (request->function != NULL) {
    lua_pushcfunction(L, request->function);
  } else {
    lua_pushinteger(L, request->value);
  }
  lua_setfield(L, -2, request->name);
  return 0;
}

static void set(latch_vm *vm, test_global request) {
  if (latch_protect(vm, set_global, &request, 0) != LATCH_OK) {
    fprintf(stderr, "%s: %s\n", request.name, test_message(vm));
    exit(2);
  }
}

void test_set_integer(latch_vm *vm, const char *name, lua_Integer value) {
  set(vm, (test_global){name, value, NULL});
}

void test_set_function(latch_vm *vm, const char *name, lua_CFunction function) {
  set(vm, (test_global){name, 0, function});
}

latch_status test_run(
  latch_vm *vm, const char *text, size_t length, const char *name, latch_run options) {
  latch_ref chunk;
  latch_status status = latch_load(vm, (const uint8_t *)text, length, name, false, &chunk);
  if (status != LATCH_OK) return status;
  status = latch_call(vm, chunk, (latch_bytes){0}, options, NULL);
  latch_release(vm, chunk);
  return status;
}

latch_status test_run_script(latch_vm *vm, const char *text) {
  return test_run(vm, text, strlen(text), "@hostile.lua", (latch_run){LATCH_SCRIPT, 10000000});
}

bool test_answers(latch_vm *vm) {
  return test_run_script(
           vm, "assert(('x'):rep(3) == 'xxx' and table.pack(pcall(error)).n == 2)")
    == LATCH_OK;
}

const char *test_message(const latch_vm *vm) {
  static char message[1024];
  latch_bytes text = latch_last_failure(vm).message;
  size_t length = text.length < sizeof message - 1 ? text.length : sizeof message - 1;
  if (length > 0) memcpy(message, text.bytes, length);
  message[length] = 0;
  return message;
}
