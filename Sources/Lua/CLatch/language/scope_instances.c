/// The instances of scopes that scripts hold.
///
/// Swift has the tree of open and closed instances (StateBlocks' Scope); this file has the part
/// that scripts see. An instance is known by a number. Everything that is read from it (a factory,
/// a capability) asks Swift again when it is called, so it ends with its scope however it was
/// captured.

#include <string.h>

#include "language/language.h"

/// Raises an error if a scope is used in a reducer, a rule, a view or an invariant, however it got
/// there.
static void check_phase(lua_State *L) {
  latch_phase phase = latch_of(L)->phase;
  if (phase == LATCH_REDUCER || phase == LATCH_RULE || phase == LATCH_VIEW ||
      phase == LATCH_INVARIANT || phase == LATCH_CONDITION) {
    latch_refuse_phase(L, "use a scope; only effects and factories can");
  }
}

/// Calls the host with the `count` values on top of the stack, for one result.
static void ask(lua_State *L, int32_t function, int count) {
  latch_push_host_function(L, function);
  lua_insert(L, -count - 1);
  lua_call(L, count, 1);
}

static void ask_about(lua_State *L, int32_t function, lua_Integer number) {
  lua_pushinteger(L, number);
  ask(L, function, 1);
}

/// Returns the instance of a method or a member: the closure's first upvalue.
static lua_Integer own_number(lua_State *L) { return lua_tointeger(L, lua_upvalueindex(1)); }

// MARK: Colons

static int text_of(lua_State *L);

static bool is_instance(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_pushliteral(L, "__tostring");
  lua_rawget(L, -2);
  bool is = lua_tocfunction(L, -1) == text_of;
  lua_pop(L, 2);
  return is;
}

/// Raises if a member was called with a dot: in `self.charge(3)` the first argument is lost.
static void check_colon(lua_State *L, const char *name) {
  if (is_instance(L, 1)) return;
  latch_raise(L, "%s%s is called with a colon: self:%s(...), not self.%s(...)",
    latch_push_script_place(L, ""), name, name, name);
}

// MARK: Methods. The upvalue: the instance's number.

/// (self, name, key)
static int unlock(lua_State *L) {
  check_phase(L);
  check_colon(L, "unlock");
  bool has_key = lua_gettop(L) > 2;  // nil is a key too, and never a valid one
  lua_settop(L, 3);
  lua_pushinteger(L, own_number(L));
  latch_tolstring(L, 2, NULL);
  lua_pushboolean(L, has_key);
  lua_pushvalue(L, 3);
  ask(L, LATCH_HOST_SCOPE_UNLOCK, 4);
  latch_push_instance(L, lua_tointeger(L, -1));
  return 1;
}

static int close_by_hand(lua_State *L) {
  check_phase(L);
  check_colon(L, "close");
  ask_about(L, LATCH_HOST_SCOPE_CLOSE, own_number(L));
  return 0;
}

/// (self, function)
static int defer(lua_State *L) {
  latch_vm *vm = latch_of(L);
  check_phase(L);
  check_colon(L, "defer");
  if (!lua_isfunction(L, 2)) return luaL_error(L, "defer takes a function");
  lua_settop(L, 2);
  lua_pushinteger(L, own_number(L));
  lua_pushinteger(L, vm->flow.last_clean_up + 1);
  ask(L, LATCH_HOST_SCOPE_DEFER, 2);
  latch_push_declared(L, LATCH_R_CLEAN_UPS);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, ++vm->flow.last_clean_up);
  return 0;
}

static lua_CFunction method_named(const char *name) {
  if (strcmp(name, "unlock") == 0) return unlock;
  if (strcmp(name, "close") == 0) return close_by_hand;
  return strcmp(name, "defer") == 0 ? defer : NULL;
}

// MARK: Members. Upvalues: the numbers of the instance and of the level, the level's name, the
// member's name.

enum { MEMBER_UPVALUES = 4, LEVEL = 2, SCOPE = 3, NAME = 4 };

/// Checks the call of a member: its scope is still open, and there was a colon.
static void check_member(lua_State *L) {
  check_phase(L);
  check_colon(L, lua_tostring(L, lua_upvalueindex(NAME)));
  ask_about(L, LATCH_HOST_SCOPE_CHECK, own_number(L));
  lua_pop(L, 1);
}

/// Returns the results of a factory, or raises its error.
static int has_made(lua_State *L, int status, lua_KContext context) {
  (void)context;
  latch_check_stack(L, 8, NULL);
  bool failed = status != LUA_OK && status != LUA_YIELD;
  if (failed && latch_must_pass_on(L, status)) return latch_rekill(L);
  latch_end_making(L);
  return failed ? lua_error(L) : lua_gettop(L);
}

/// (self, ...): calls the scope's factory with the instance of the level at which it was found.
static int make_thing(lua_State *L) {
  check_member(L);
  latch_check_stack(L, 12, NULL);
  latch_push_instance(L, lua_tointeger(L, lua_upvalueindex(LEVEL)));
  lua_replace(L, 1);
  latch_push_declared(L, LATCH_R_FACTORIES);
  lua_pushvalue(L, lua_upvalueindex(SCOPE));
  lua_gettable(L, -2);
  lua_pushvalue(L, lua_upvalueindex(NAME));
  lua_gettable(L, -2);
  lua_insert(L, 1);
  lua_pop(L, 2);
  latch_begin_making(
    L, lua_tostring(L, lua_upvalueindex(SCOPE)), lua_tostring(L, lua_upvalueindex(NAME)));
  return has_made(L, lua_pcallk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, 0, has_made), 0);
}

/// Returns the results of a stub.
static int give(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return lua_gettop(L);
}

/// (self, ...): calls the scenario's stub. Its additional upvalue is that function.
int latch_call_stub(lua_State *L) {
  check_member(L);
  lua_pushvalue(L, lua_upvalueindex(MEMBER_UPVALUES + 1));
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, give);
  return give(L, LUA_OK, 0);
}

/// (self, ...): calls the host, which may answer later.
static int call_capability(lua_State *L) {
  check_member(L);
  lua_remove(L, 1);
  lua_pushvalue(L, lua_upvalueindex(LEVEL));
  lua_pushvalue(L, lua_upvalueindex(NAME));
  lua_rotate(L, 1, 2);
  return latch_ask_host(L, LATCH_HOST_SCOPE_CALL);
}

// MARK: Looking a name up

/// Pushes the host's table of stubs, or nil: only scenarios and prompts have stubs.
static bool push_stubs(lua_State *L) {
  if (latch_of(L)->flow.has_prelude) {
    latch_push_prelude(L);
    lua_getfield(L, -1, "host");
    lua_getfield(L, -1, "stubs");
    lua_replace(L, -3);
    lua_pop(L, 1);
  } else {
    lua_pushnil(L);
  }
  return lua_istable(L, -1);
}

static bool expects_stubs(lua_State *L) {
  if (!latch_of(L)->flow.has_prelude) return false;
  latch_push_prelude(L);
  lua_getfield(L, -1, "host");
  bool expects = lua_getfield(L, -1, "expects_stubs") != LUA_TNIL && lua_toboolean(L, -1);
  lua_pop(L, 3);
  return expects;
}

/// The stack slots of `read_member` while it looks up a name.
enum { SELF = 1, WANTED, TEXT, LEVELS, AT };

/// Pushes the member's four upvalues.
static void push_upvalues(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_getfield(L, AT, "number");
  lua_getfield(L, AT, "name");
  lua_pushvalue(L, WANTED);
}

static bool is_private(lua_State *L) {
  lua_getfield(L, AT, "private");
  lua_pushvalue(L, WANTED);
  return lua_gettable(L, -2) != LUA_TNIL && lua_toboolean(L, -1);
}

static bool has_factory(lua_State *L) {
  latch_push_declared(L, LATCH_R_FACTORIES);
  lua_getfield(L, AT, "name");
  if (lua_gettable(L, -2) != LUA_TTABLE) return false;
  lua_pushvalue(L, WANTED);
  return lua_gettable(L, -2) != LUA_TNIL;
}

static bool push_stub(lua_State *L) {
  if (!push_stubs(L)) return false;
  lua_getfield(L, AT, "name");
  lua_pushfstring(L, "%s.%s", lua_tostring(L, -1), lua_tostring(L, TEXT));
  return lua_gettable(L, -3) != LUA_TNIL;
}

/// Returns true for a method call, which may call a capability that nobody provides yet; false for
/// a field of the state, and for a name that is not called.
static bool may_be_missed(lua_State *L) {
  return latch_is_method_lookup(L) && !latch_is_field(L, WANTED);
}

/// Reports the first call of a capability that nobody provides and for which the effect waits.
static void report_missed(lua_State *L) {
  lua_Debug frame;
  bool has_place = latch_find_script(L, &frame);
  lua_getfield(L, AT, "name");
  lua_pushfstring(L, "nobody provides %s.%s, which %s:%d calls: durable effects wait for it",
    lua_tostring(L, -1), lua_tostring(L, TEXT), has_place ? latch_chunk_name(frame.source) : "?",
    has_place ? frame.currentline : 0);
  lua_pushboolean(L, true);
  ask(L, LATCH_HOST_SCOPE_MISSING, 2);
  lua_pop(L, 2);
}

/// Returns true if the level has the member: a durable effect that is replayed finds what it found
/// before, and one that calls what no level has may wait for it.
static bool has_capability(lua_State *L, bool is_stubbed, bool is_outermost) {
  latch_push_host_function(L, LATCH_HOST_SCOPE_HAS);
  lua_getfield(L, AT, "number");
  lua_pushvalue(L, TEXT);
  lua_pushboolean(L, is_stubbed);
  lua_pushboolean(L, is_outermost && may_be_missed(L));
  lua_call(L, 4, 2);
  bool has = lua_toboolean(L, -2), is_first = lua_toboolean(L, -1);
  lua_pop(L, 2);
  if (is_first) report_missed(L);
  return has;
}

/// Pushes the member at the level, if it has one.
static bool push_member(lua_State *L, bool is_outermost) {
  if (has_factory(L)) {
    push_upvalues(L);
    lua_pushcclosure(L, make_thing, MEMBER_UPVALUES);
    return true;
  }
  lua_settop(L, AT);
  if (push_stub(L)) {
    int stub = lua_gettop(L);
    if (!has_capability(L, true, false)) return false;
    push_upvalues(L);
    lua_pushvalue(L, stub);
    lua_pushcclosure(L, latch_call_stub, MEMBER_UPVALUES + 1);
    return true;
  }
  lua_settop(L, AT);
  if (!has_capability(L, false, is_outermost)) return false;
  push_upvalues(L);
  lua_pushcclosure(L, call_capability, MEMBER_UPVALUES);
  return true;
}

static int miss_member(lua_State *L) {
  lua_rawgeti(L, LEVELS, 1);
  lua_getfield(L, -1, "name");
  const char *scope = lua_tostring(L, -1), *name = lua_tostring(L, TEXT);
  const char *message = lua_pushfstring(L, "scope %s has no %s", scope, name);
  if (latch_is_field(L, WANTED)) {
    return luaL_error(L,
      "%s; the state is not accessible here: select s.%s in a view, and read the view", message,
      name);
  }
  if (!expects_stubs(L)) return luaL_error(L, "%s", message);
  lua_Debug frame;
  bool has_place = latch_find_script(L, &frame);
  lua_pushfstring(L, "%s, and it has no stub: stub(\"%s.%s\", function(...) ... end)  [%s:%d]",
    message, scope, name, has_place ? latch_chunk_name(frame.source) : "?",
    has_place ? frame.currentline : 0);
  ask(L, LATCH_HOST_SCOPE_MISSING, 1);
  return 0;
}

/// Looks a name up in the scope, then in its parents, without their private names.
static int read_member(lua_State *L) {
  lua_settop(L, WANTED);
  latch_tolstring(L, WANTED, NULL);
  ask_about(L, LATCH_HOST_SCOPE_LEVELS, own_number(L));
  lua_Integer count = (lua_Integer)lua_rawlen(L, LEVELS);
  for (lua_Integer depth = 1; depth <= count; depth++) {
    lua_rawgeti(L, LEVELS, depth);
    bool is_visible = depth == 1 || !is_private(L);
    lua_settop(L, AT);
    if (is_visible && push_member(L, depth == count)) return 1;
    lua_settop(L, LEVELS);
  }
  return miss_member(L);
}

// MARK: The instance

/// (self, name). The upvalue of this and of the next two: the instance's number.
static int read_instance(lua_State *L) {
  check_phase(L);
  lua_settop(L, WANTED);
  const char *name = lua_type(L, WANTED) == LUA_TSTRING ? lua_tostring(L, WANTED) : "";
  if (strcmp(name, "key") == 0) {
    ask_about(L, LATCH_HOST_SCOPE_KEY, own_number(L));
    return 1;
  }
  if (strcmp(name, "parent") == 0) {
    ask_about(L, LATCH_HOST_SCOPE_PARENT, own_number(L));
    if (lua_toboolean(L, -1)) latch_push_instance(L, lua_tointeger(L, -1));
    return 1;
  }
  if (strcmp(name, "entered_by") == 0) {
    ask(L, LATCH_HOST_ENTERED_BY, 0);
    return 1;
  }
  lua_CFunction method = method_named(name);
  if (method == NULL) return read_member(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, method, 1);
  return 1;
}

static int leave(lua_State *L) {
  ask_about(L, LATCH_HOST_SCOPE_LEAVE, own_number(L));
  return 0;
}

static int text_of(lua_State *L) {
  ask_about(L, LATCH_HOST_SCOPE_NAME, own_number(L));
  lua_pushfstring(L, "scope %s", lua_tostring(L, -1));
  return 1;
}

static int refuse_change(lua_State *L) {
  return luaL_error(L, "a scope's instance cannot be changed");
}

static void push_new_instance(lua_State *L, lua_Integer number) {
  static const luaL_Reg EVENTS[] = {
    {"__index", read_instance},
    {"__close", leave},
    {"__tostring", text_of},
    {NULL, NULL},
  };
  lua_pushinteger(L, number);
  latch_make_handle(L, EVENTS, refuse_change);
}

/// Pushes the instance with that number, the same until it is forgotten.
void latch_push_instance(lua_State *L, lua_Integer number) {
  latch_check_stack(L, 8, "scopes are nested too deeply");
  latch_push_declared(L, LATCH_R_INSTANCES);
  if (lua_rawgeti(L, -1, number) == LUA_TNIL) {
    lua_pop(L, 1);
    push_new_instance(L, number);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, number);
  }
  lua_remove(L, -2);
}
