/// Runs library.lua in a reducer, and some of it in a view: library_test FILE.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

static int checks, failures;

static int check(lua_State *L) {
  checks++;
  lua_settop(L, 2);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    failures++;
    printf("FAIL %s: %s\n", lua_tostring(L, 1), latch_tolstring(L, -1, NULL));
  }
  return 0;
}

static const char prelude[] =
  "host.declare_state { list = { 3, 1, 2 }, names = { 'c', 'a', 'b' }, record = { x = 1, y = 2 },"
  "  map = host.set_mark({ q = 1, k = 2 }, 'map'), rows = { { id = 1 }, { id = 2 } }, empty = {} }\n"
  "host.set_global('s', host.root())\n"
  "host.set_global('fixed', host.frozen { a = 1, list = host.frozen { 1, 2, 3 } })\n"
  "host.set_global('freeze', host.freeze)\n";

static const char view[] =
  "return function(s)\n"
  "  local found = {}\n"
  "  for i, row in ipairs(s.rows) do found[i] = row.id end\n"
  "  for _, row in pairs(s.rows) do found[#found + 1] = row.id end\n"
  "  local _, first = next(s.rows)\n"
  "  assert(table.concat(s.names, '') == 'cab' and #s.names == 3 and tostring(s) == 'table')\n"
  "  assert(select('#', table.unpack(s.list)) == 3 and first.id == 1)\n"
  "  assert(not pcall(table.insert, s.list, 1) and not pcall(table.sort, s.list))\n"
  "  assert(not pcall(table.remove, s.list) and not pcall(table.move, { 1 }, 1, 1, 1, s.list))\n"
  "  assert(getmetatable(s) == false and not pcall(setmetatable, {}, s))\n"
  "  return table.concat(found, ' ')\n"
  "end\n";

static void require_ok(latch_vm *vm, latch_status status, const char *what) {
  if (status == LATCH_OK) return;
  printf("FAIL %s: line %d: %s\n", what, latch_last_failure(vm).line, test_message(vm));
  exit(1);
}

static latch_ref load(latch_vm *vm, const char *text, const char *name, bool trusted) {
  latch_ref chunk;
  latch_status status =
    latch_load(vm, (const uint8_t *)text, strlen(text), name, trusted, &chunk);
  require_ok(vm, status, name);
  return chunk;
}

static int keep_result(lua_State *L) {
  latch_ref *kept = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *kept);
  lua_call(L, 0, 1);
  *kept = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

/// A view that iterates is stale after what it iterated over has changed, and gets the new value.
static void test_view(latch_vm *vm) {
  latch_ref function = load(vm, view, "@view.lua", false);
  require_ok(vm, latch_protect(vm, keep_result, &function, 0), "the view's function");
  int32_t reader;
  latch_bytes value;
  require_ok(vm, latch_reader_add(vm, function, &reader), "the view");
  require_ok(vm, latch_view_value(vm, reader, 1000000, &value), "the view's value");
  checks++;
  if (value.length < 7 || memcmp(value.bytes + value.length - 7, "1 2 1 2", 7) != 0) {
    printf("FAIL the view's value is another\n");
    failures++;
  }
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  static char text[1 << 20];
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

int main(int count, char **arguments) {
  char *text = count == 2 ? read_file(arguments[1]) : NULL;
  if (text == NULL) return fputs("usage: library_test FILE\n", stderr), 64;
  latch_vm *vm = test_open((size_t)64 << 20);
  test_set_function(vm, "check", check);
  latch_run options = {LATCH_LOADING, 10000000};
  latch_ref chunk = load(vm, prelude, LATCH_PRELUDE_CHUNK, true);
  require_ok(vm, latch_call(vm, chunk, (latch_bytes){0}, options, NULL), "the prelude");
  test_view(vm);
  chunk = load(vm, text, "@library.lua", false);
  latch_begin(vm);
  options.phase = LATCH_REDUCER;
  require_ok(vm, latch_call(vm, chunk, (latch_bytes){0}, options, NULL), "library.lua");
  latch_bytes patch;
  require_ok(vm, latch_end_transaction(vm, &patch), "the commit");
  latch_close(vm);
  printf("library: %d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
