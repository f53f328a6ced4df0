/// Runs oracle.lua in the sandbox: oracle_test FILE CASES SEED. Its output goes to standard output.
/// With one argument more it runs in plain Lua, of the release that is linked.

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  if (text != NULL && fread(text, 1, *length, file) != *length) *length = 0;
  fclose(file);
  return text;
}

static int run_plain(const char *text, size_t length, lua_Integer cases, lua_Integer seed) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_pushinteger(L, cases);
  lua_setglobal(L, "CASES");
  lua_pushinteger(L, seed);
  lua_setglobal(L, "SEED");
  lua_pushinteger(L, LUA_VERSION_RELEASE_NUM);
  lua_setglobal(L, "RELEASE");
  bool fine = luaL_loadbuffer(L, text, length, "@oracle.lua") == LUA_OK &&
              lua_pcall(L, 0, 0, 0) == LUA_OK;
  if (!fine) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L);
  return fine ? 0 : 1;
}

int main(int count, char **arguments) {
  if (count != 4 && count != 5) return fputs("usage: oracle_test FILE CASES SEED [plain]\n", stderr), 64;
  size_t length;
  char *text = read_file(arguments[1], &length);
  if (text == NULL) return fputs("cannot read the file\n", stderr), 2;
  if (count == 5) {
    int result = run_plain(text, length, atoll(arguments[2]), atoll(arguments[3]));
    free(text);
    return result;
  }
  latch_vm *vm = test_open((size_t)512 << 20);
  test_set_integer(vm, "CASES", atoll(arguments[2]));
  test_set_integer(vm, "SEED", atoll(arguments[3]));
  test_set_integer(vm, "RELEASE", LUA_VERSION_RELEASE_NUM);
  latch_run options = {LATCH_SCRIPT, INT64_MAX / 2};
  latch_status status = test_run(vm, text, length, "@oracle.lua", options);
  if (status != LATCH_OK) fprintf(stderr, "line %d: %s\n", latch_last_failure(vm).line, test_message(vm));
  latch_close(vm);
  free(text);
  return status == LATCH_OK ? 0 : 1;
}
