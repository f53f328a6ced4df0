/// Fuzzes a part of the sandbox's library against the one that comes with Lua: both run the same
/// script on the same input, and what they tell must be the same, byte for byte.
///
/// TARGET is the script's path. What our library cuts short, for its limits, is not compared; nor is what
/// releases before 5.4.4 say of formats that are wrong, and whether they are.

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { MOST_BYTES = 1 << 12, BUDGET = 200000, MEMORY = 16 << 20 };

static const uint8_t *input_bytes;
static size_t input_length;
static latch_buffer told;

static int input(lua_State *L) {
  lua_pushlstring(L, (const char *)input_bytes, input_length);
  return 1;
}

static int emit(lua_State *L) {
  size_t length;
  const char *line = lua_tolstring(L, 1, &length);
  latch_buffer_add(&told, line, length);
  latch_buffer_add(&told, "\n", 1);
  return 0;
}

/// Both scripts as one chunk.
static latch_buffer script(void) {
  latch_buffer text = {0};
  const char *paths[] = {FOLDER "/results.lua", FOLDER "/" TARGET ".lua"};
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(paths[i], "rb");
    char part[4096];
    size_t length;
    while (file != NULL && (length = fread(part, 1, sizeof part, file)) > 0) {
      latch_buffer_add(&text, part, length);
    }
    if (file == NULL || text.failed) {
      fprintf(stderr, "cannot read %s\n", paths[i]);
      exit(2);
    }
    fclose(file);
  }
  return text;
}

static latch_vm *ours;
static latch_ref our_chunk;
static lua_State *theirs;

static void open_both(void) {
  latch_buffer text = script();
  ours = test_open(MEMORY);
  test_set_function(ours, "input", input);
  test_set_function(ours, "emit", emit);
  theirs = luaL_newstate();
  luaL_openlibs(theirs);
  lua_register(theirs, "input", input);
  lua_register(theirs, "emit", emit);
  if (latch_load(ours, text.bytes, text.length, "@script", false, &our_chunk) != LATCH_OK
    || luaL_loadbuffer(theirs, (const char *)text.bytes, text.length, "@script") != LUA_OK) {
    fprintf(stderr, "%s.lua does not compile: %s\n", TARGET, test_message(ours));
    exit(2);
  }
  latch_buffer_free(&text);
}

static void report(const char *problem, latch_buffer expected) {
  fprintf(
    stderr, "%s\n--- Lua's library\n%.*s--- ours\n%.*s", problem, (int)expected.length,
    (const char *)expected.bytes, (int)told.length, (const char *)told.bytes);
  abort();
}

/// True when the two tell the same, line by line.
static bool is_same(latch_buffer a, latch_buffer b) {
  size_t i = 0, j = 0;
  while (i < a.length && j < b.length) {
    const uint8_t *line = a.bytes + i, *other = b.bytes + j;
    const uint8_t *end = memchr(line, '\n', a.length - i), *other_end = memchr(other, '\n', b.length - j);
    size_t length = (size_t)(end - line), other_length = (size_t)(other_end - other);
    bool wrong = LUA_VERSION_RELEASE_NUM < 50404 && *line == '!';  // ours is the first
    if (!wrong && (length != other_length || memcmp(line, other, length) != 0)) return false;
    i += length + 1;
    j += other_length + 1;
  }
  return i == a.length && j == b.length;
}

/// Runs both on one input; ends the process when they differ.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length > MOST_BYTES) return -1;
  if (ours == NULL) open_both();
  input_bytes = bytes;
  input_length = length;
  latch_buffer_clear(&told);
  latch_run run = {LATCH_SCRIPT, BUDGET};
  latch_status status = latch_call(ours, our_chunk, (latch_bytes){0}, run, NULL);
  if (status == LATCH_LIMIT || status == LATCH_MEMORY) return 0;
  if (status != LATCH_OK) report(test_message(ours), (latch_buffer){0});

  latch_buffer found = told;
  told = (latch_buffer){0};
  lua_pushvalue(theirs, 1);
  if (lua_pcall(theirs, 0, 0, 0) != LUA_OK) report(lua_tostring(theirs, -1), told);
  latch_buffer expected = told;
  told = found;
  if (!is_same(told, expected)) report("the libraries differ", expected);
  latch_buffer_free(&expected);
  return 0;
}
