/// Loads chunks, from source text and from compiled code.

#include <string.h>

#include "language/language.h"

typedef struct {
  latch_vm *vm;
  const char *text;
  size_t length;
  const char *name;
  bool trusted;
  int status;
  latch_ref kept;
} latch_keep;

/// The most bytes of compiled code per byte of source (`a=b` is three instructions of four bytes,
/// and its lines).
enum { LATCH_CODE_PER_TEXT = 4 };

// MARK: Text

/// Sets the globals of the chunk on top of the stack, and stores it.
static int keep_loaded(lua_State *L, latch_keep *request) {
  if (request->trusted) latch_push_prelude(L);
  else lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_ENVIRONMENT);
  lua_setupvalue(L, -2, 1);
  request->kept = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int keep_chunk(lua_State *L) {
  latch_keep *request = lua_touserdata(L, 1);
  const char *name = request->name;
  bool is_marked = name[0] == '@' || name[0] == '=';
  name = lua_pushfstring(L, is_marked ? "%s" : "@%s", name);
  if (!request->trusted) {
    request->status = LUA_ERRSYNTAX;
    latch_refuse_slow_text(L, request->text, request->length, name);
    if (request->length > latch_of(L)->hook.longest_text)
      latch_of(L)->hook.longest_text = request->length;
  }
  request->status =
    luaL_loadbufferx(L, request->text, request->length, name, request->trusted ? NULL : "t");
  if (request->status != LUA_OK) return lua_error(L);
  return keep_loaded(L, request);
}

/// Splits a syntax error "file:line: message" into its fields.
static void split_syntax_error(latch_vm *vm, const char *name) {
  latch_buffer *message = &vm->failure.message;
  latch_buffer_add(message, "", 1);
  if (message->failed || message->length == 0) return;
  message->length--;
  char *text = (char *)message->bytes;
  vm->failure.incomplete =
    message->length >= 5 && strcmp(text + message->length - 5, "<eof>") == 0 &&
    strstr(text, ": unfinished string near") == NULL;  // further lines cannot complete it
  latch_buffer_clear(&vm->failure.chunk);
  latch_buffer_text(&vm->failure.chunk, latch_chunk_name(name));
  for (char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
    char *end = colon + 1;
    int line = 0;
    while (*end >= '0' && *end <= '9' && line < 100000000) line = line * 10 + (*end++ - '0');
    if (end == colon + 1 || end[0] != ':' || end[1] != ' ') continue;
    vm->failure.line = line;
    message->length -= (size_t)(end + 2 - text);
    memmove(text, end + 2, message->length);
    return;
  }
}

latch_status latch_load(latch_vm *vm, const uint8_t *text, size_t length, const char *name,
  bool trusted, latch_ref *function) {
  latch_keep request = {vm, (const char *)text, length, name, trusted, LUA_OK, LATCH_NO_REF};
  latch_status status = latch_protect(vm, keep_chunk, &request, 0);
  if (status != LATCH_OK && request.status == LUA_ERRMEM) {
    vm->failure.status = status = LATCH_MEMORY;
  } else if (status != LATCH_OK && request.status == LUA_ERRSYNTAX) {
    vm->failure.status = status = LATCH_SYNTAX;
    split_syntax_error(vm, name);
  }
  *function = request.kept;
  return status;
}

// MARK: Compiled chunks

static int add_code(lua_State *L, const void *bytes, size_t length, void *buffer) {
  (void)L;
  latch_buffer_add(buffer, bytes, length);
  return ((latch_buffer *)buffer)->failed;
}

typedef struct {
  latch_ref function;
  bool trusted;
} latch_dump_request;

static int dump(lua_State *L) {
  latch_vm *vm = latch_of(L);
  const latch_dump_request *request = lua_touserdata(L, 1);
  latch_buffer_clear(&vm->out);
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->function);
  // The prelude's lines are never shown; without them it loads faster.
  if (lua_dump(L, add_code, &vm->out, request->trusted) != 0) {
    return luaL_error(L, "not enough memory");
  }
  return 0;
}

latch_status latch_dump(latch_vm *vm, latch_ref function, bool trusted, latch_bytes *code) {
  latch_dump_request request = {function, trusted};
  latch_status status = latch_protect(vm, dump, &request, 0);
  *code = (latch_bytes){vm->out.bytes, status == LATCH_OK ? vm->out.length : 0};
  return status;
}

static int keep_code(lua_State *L) {
  latch_keep *request = lua_touserdata(L, 1);
  // The source of the code has at least this length.
  size_t text = request->length / LATCH_CODE_PER_TEXT;
  if (!request->trusted && text > latch_of(L)->hook.longest_text)
    latch_of(L)->hook.longest_text = text;
  request->status = luaL_loadbufferx(L, request->text, request->length, LATCH_PRELUDE_CHUNK, "b");
  if (request->status != LUA_OK) return lua_error(L);
  return keep_loaded(L, request);
}

latch_status latch_load_code(
  latch_vm *vm, const uint8_t *code, size_t length, bool trusted, latch_ref *function) {
  latch_keep request = {vm, (const char *)code, length, NULL, trusted, LUA_OK, LATCH_NO_REF};
  latch_status status = latch_protect(vm, keep_code, &request, 0);
  if (request.status == LUA_ERRMEM) vm->failure.status = status = LATCH_MEMORY;
  *function = request.kept;
  return status;
}

// MARK: The prelude's functions

static int keep_prelude_function(lua_State *L) {
  latch_keep *request = lua_touserdata(L, 1);
  latch_push_prelude(L);
  lua_getfield(L, -1, "host");
  lua_getfield(L, -1, request->name);
  if (!lua_isfunction(L, -1)) {
    return luaL_error(
      L, "internal error: please report it (the prelude has no function %s)", request->name);
  }
  request->kept = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

latch_status latch_prelude_function(latch_vm *vm, const char *name, latch_ref *function) {
  latch_keep request = {.vm = vm, .name = name};
  latch_status status = latch_protect(vm, keep_prelude_function, &request, 0);
  *function = request.kept;
  return status;
}
