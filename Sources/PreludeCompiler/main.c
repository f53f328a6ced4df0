// Compiles Lua of our own while the package is built, so that no process has to: a VM reads compiled
// code about ten times as fast as text.
//
//   PreludeCompiler OUTPUT.swift FILE.lua...
//
// OUTPUT declares a `Prelude.Chunk` for each file, named as the file is: its text, its code without
// line numbers, and which Lua compiled it. Exits with 1, and says why, when a file does not compile.

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What one line of bytes holds.
enum { BYTES_A_LINE = 24 };

typedef struct {
  FILE *file;
  size_t count;
} output;

static int write_bytes(lua_State *L, const void *bytes, size_t length, void *data) {
  (void)L;
  output *out = data;
  for (size_t i = 0; i < length; i++) {
    fprintf(out->file, "%u,%s", ((const unsigned char *)bytes)[i],
            ++out->count % BYTES_A_LINE == 0 ? "\n" : "");
  }
  return ferror(out->file);
}

static int fail(const char *what, const char *why) {
  fprintf(stderr, "%s: error: %s\n", what, why);
  return EXIT_FAILURE;
}

/// `…/flow.lua` is declared as `flow`.
static void write_name(FILE *file, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  fprintf(file, "%.*s", (int)strcspn(name, "."), name);
}

static int write_chunk(FILE *file, const char *path) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return fail(path, "there is no memory for a Lua state.");
  int status = EXIT_SUCCESS;
  if (luaL_loadfilex(L, path, "t") != LUA_OK) {
    status = fail(path, lua_tostring(L, -1));
  } else {
    fputs("\n  static let ", file);
    write_name(file, path);
    fputs(" = Prelude.Chunk(\n    text: PackageResources.", file);
    write_name(file, path);
    fputs("_lua,\n    code: [\n", file);
    output out = {file, 0};
    if (lua_dump(L, write_bytes, &out, 1) != 0) status = fail(path, "its code cannot be written.");
    fprintf(file, "],\n    compiler: \"%s\")\n", lua_ident);
  }
  lua_close(L);
  return status;
}

int main(int count, char **arguments) {
  if (count < 3) return fail("PreludeCompiler", "it takes OUTPUT.swift FILE.lua...");
  FILE *file = fopen(arguments[1], "w");
  if (file == NULL) return fail(arguments[1], "it cannot be written.");
  fputs("import LuaRuntime\n\nextension Prelude.Chunk {", file);
  int status = EXIT_SUCCESS;
  for (int i = 2; i < count && status == EXIT_SUCCESS; i++) status = write_chunk(file, arguments[i]);
  fputs("}\n", file);
  if (fclose(file) != 0) status = fail(arguments[1], "it cannot be written whole.");
  if (status != EXIT_SUCCESS) remove(arguments[1]);
  return status;
}
