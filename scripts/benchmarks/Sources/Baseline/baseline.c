#include "baseline.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

struct baseline {
  lua_State *L;
  int state, payload, gate, reducer, invariant;
};

baseline *baseline_open(const char *text) {
  baseline *opened = calloc(1, sizeof *opened);
  if (opened == NULL) return NULL;
  lua_State *L = opened->L = luaL_newstate();
  if (L != NULL) {
    luaL_openlibs(L);
    if (luaL_loadstring(L, text) == LUA_OK && lua_pcall(L, 0, 5, 0) == LUA_OK) {
      opened->invariant = luaL_ref(L, LUA_REGISTRYINDEX);
      opened->reducer = luaL_ref(L, LUA_REGISTRYINDEX);
      opened->gate = luaL_ref(L, LUA_REGISTRYINDEX);
      opened->payload = luaL_ref(L, LUA_REGISTRYINDEX);
      opened->state = luaL_ref(L, LUA_REGISTRYINDEX);
      return opened;
    }
  }
  baseline_close(opened);
  return NULL;
}

static bool call(baseline *baseline, int function, int results) {
  lua_State *L = baseline->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  lua_rawgeti(L, LUA_REGISTRYINDEX, baseline->state);
  lua_rawgeti(L, LUA_REGISTRYINDEX, baseline->payload);
  return lua_pcall(L, 2, results, 0) == LUA_OK;
}

bool baseline_dispatch(baseline *baseline, int count) {
  lua_State *L = baseline->L;
  for (int i = 0; i < count; i++) {
    if (!call(baseline, baseline->gate, 2)) return false;
    bool passes = lua_toboolean(L, -2);
    lua_pop(L, 2);
    if (!passes || !call(baseline, baseline->reducer, 0)) return false;
    if (baseline->invariant == LUA_REFNIL) continue;
    if (!call(baseline, baseline->invariant, 1)) return false;
    bool holds = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!holds) return false;
  }
  return true;
}

long long baseline_field(baseline *baseline, const char *name) {
  lua_State *L = baseline->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, baseline->state);
  lua_getfield(L, -1, name);
  long long value = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return value;
}

void baseline_close(baseline *baseline) {
  if (baseline == NULL) return;
  if (baseline->L != NULL) lua_close(baseline->L);
  free(baseline);
}

bool baseline_open_and_close(int count) {
  for (int i = 0; i < count; i++) {
    lua_State *L = luaL_newstate();
    if (L == NULL) return false;
    luaL_openlibs(L);
    lua_close(L);
  }
  return true;
}

long long baseline_memory(baseline *baseline) {
  lua_gc(baseline->L, LUA_GCCOLLECT);
  return lua_gc(baseline->L, LUA_GCCOUNT) * 1024LL + lua_gc(baseline->L, LUA_GCCOUNTB);
}

long long baseline_allocated(void) {
#ifdef __GLIBC__
  struct mallinfo2 now = mallinfo2();
  return (long long)now.uordblks + (long long)now.hblkhd;
#else
  return 0;
#endif
}
