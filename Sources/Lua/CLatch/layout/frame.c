/// The running function of a thread, its values, and their stack, as a hook and the allocator find
/// them while Lua is in the middle of an instruction.

#include <stdatomic.h>
#include <string.h>

#include "layout/layout.h"
#include "layout/opcodes.h"

latch_frame latch_running_frame(lua_State *L) {
  const lua_thread_part *thread = (const lua_thread_part *)L;
  const lua_running_part *running = thread->running;
  const latch_cell *values = running->function + 1;
  latch_frame frame = {0, values, (size_t)(thread->top - values), NULL};
  if (thread->top < values) frame.count = 0;
  if (running->function->type != LATCH_CELL_LUA_FUNCTION) return frame;
  frame.function = running->function->object;
  frame.code = running->following[-1];
  return frame;
}

const latch_cell *latch_frame_variable(const latch_frame *frame, unsigned number) {
  return frame->function->variables[number]->value;
}

const void *latch_next_table(const void *table, const void *event) {
  const void *metatable = latch_metatable_of(table);
  const latch_cell *next = metatable == NULL ? NULL : latch_field_cell(metatable, event);
  return next != NULL && next->type == LATCH_CELL_TABLE ? next->object : NULL;
}

size_t latch_links(const void *table, const void *event, size_t most) {
  size_t count = 0;
  while (count < most && (table = latch_next_table(table, event)) != NULL) count++;
  return count;
}

// MARK: Tables

/// Lua itself rejects longer chains of tables.
enum { MOST_LINKS = 2000 };

const void *latch_assigned_table(const latch_frame *frame, const void *newindex) {
  unsigned number = frame->code & 0x7f, a = frame->code >> 7 & 0xff;
  if ((number < SETTABUP || number > SETFIELD) && number != SETLIST) return NULL;
  const latch_cell *cell =
    number == SETTABUP ? latch_frame_variable(frame, a) : &frame->registers[a];
  const void *table = cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  for (int i = 0; table != NULL && i < MOST_LINKS; i++) {
    const void *next = latch_next_table(table, newindex);
    if (next == NULL) break;
    table = next;
  }
  return table;
}

size_t latch_frame_probes(const latch_frame *frame, const void *index, const void *newindex) {
  unsigned number = frame->code & 0x7f, a = frame->code >> 7 & 0xff, b = frame->code >> 16 & 0xff,
           c = frame->code >> 24;
  bool reads = number == GETTABLE || number == GETI;
  if (!reads && number != SETTABLE && number != SETI) return 0;
  const latch_cell *cell = &frame->registers[reads ? b : a];
  latch_cell key = {.integer = reads ? c : b, .type = LATCH_CELL_INTEGER};
  if (number == GETTABLE || number == SETTABLE) key = frame->registers[reads ? c : b];
  const void *table = cell->type == LATCH_CELL_TABLE ? cell->object : NULL;
  size_t count = 0;
  for (int i = 0; table != NULL && i < MOST_LINKS; i++) {
    count += latch_probes(table, &key);
    table = latch_next_table(table, reads ? index : newindex);
  }
  return count;
}

// MARK: The stack

size_t latch_stack_slots(lua_State *L) {
  const lua_thread_part *thread = (const lua_thread_part *)L;
  return (size_t)(thread->stack_end - thread->stack);
}

size_t latch_stack_use(lua_State *L) {
  const lua_thread_part *thread = (const lua_thread_part *)L;
  const latch_cell *end = thread->top, *reserved = thread->running->top;
  return (size_t)((end > reserved ? end : reserved) - thread->stack);
}

bool latch_is_stack(lua_State *L, const void *block) {
  return block == ((const lua_thread_part *)L)->stack;
}

// MARK: What a hook counts

/// The offset of a thread's count; before it is the count to which a hook was set.
static atomic_size_t count_place = 0;

int latch_count_left(lua_State *L) {
  int left;
  memcpy(&left, (char *)L + atomic_load_explicit(&count_place, memory_order_relaxed), sizeof left);
  return left;
}

__attribute__((no_sanitize("thread"))) void latch_set_count_left(lua_State *L, int left) {
  size_t place = atomic_load_explicit(&count_place, memory_order_relaxed);
  *(volatile int *)((char *)L + place) = left;
}

void latch_set_count(lua_State *L, int count) {
  const int pair[] = {count, count};
  size_t place = atomic_load_explicit(&count_place, memory_order_relaxed);
  memcpy((char *)L + place - sizeof(int), pair, sizeof pair);
}

static void do_nothing(lua_State *L, lua_Debug *debug) { (void)L, (void)debug; }

/// Searches the main thread, after which there is more of Lua's state.
static bool find_count(lua_State *L) {
  enum { MARK = 0x5a17c0de, LENGTH = 400 };
  const int pair[] = {MARK, MARK};
  lua_sethook(L, do_nothing, LUA_MASKCOUNT, MARK);
  size_t found = 0, place = 0;
  for (size_t at = sizeof(lua_thread_part); at < LENGTH; at += sizeof(int)) {
    if (memcmp((char *)L + at, pair, sizeof pair) != 0) continue;
    found++;
    place = at + sizeof(int);
  }
  lua_sethook(L, NULL, 0, 0);
  if (found == 1) atomic_store(&count_place, place);
  return found == 1;
}

// MARK: Whether they are there

typedef struct {
  int seen;
  bool differs;
} latch_frame_check;

static latch_frame_check *check_of(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "check");
  latch_frame_check *check = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return check;
}

/// Called before the second instruction that looks up a field in an upvalue: `t.name = 7`.
static void look(lua_State *L, lua_Debug *debug) {
  (void)debug;
  latch_frame frame = latch_running_frame(L);
  latch_frame_check *check = check_of(L);
  if (frame.function == NULL || (frame.code & 0x7f) != SETTABUP) return;
  lua_getfield(L, LUA_REGISTRYINDEX, "table");
  const latch_cell *table = latch_frame_variable(&frame, frame.code >> 7 & 0xff);
  bool fine = table->type == LATCH_CELL_TABLE && table->object == lua_topointer(L, -1) &&
              frame.registers[0].type == LATCH_CELL_INTEGER && frame.registers[0].integer == 5;
  check->differs = check->differs || !fine;
  check->seen++;
  lua_pop(L, 1);
}

static bool has_stack(lua_State *L, size_t least, size_t most) {
  size_t slots = latch_stack_slots(L), use = latch_stack_use(L);
  // A thread that runs nothing begins with a placeholder for a function.
  return slots >= least && slots <= most && use > 0 && use <= slots &&
         latch_is_stack(L, ((const lua_thread_part *)L)->running->function);
}

/// (check): the stack of a new thread has twice LUA_MINSTACK slots, or as many less the spare ones.
static int check_frames(lua_State *L) {
  static const char code[] = "local t = ... return function(a) t.name = 7 end";
  latch_frame_check *check = lua_touserdata(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "check");
  lua_State *thread = lua_newthread(L);
  bool fine = has_stack(thread, LUA_MINSTACK, 2 * LUA_MINSTACK);
  luaL_checkstack(thread, 1000, NULL);
  fine = fine && has_stack(thread, 1000, 1100);
  latch_frame frame = latch_running_frame(L);
  check->differs =
    !fine || frame.function != NULL || frame.count != 1 || frame.registers[0].object != thread;
  if (luaL_loadbufferx(L, code, sizeof code - 1, "=check", "t") != LUA_OK) return lua_error(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "table");
  lua_call(L, 1, 1);
  lua_pushinteger(L, 5);
  lua_sethook(L, look, LUA_MASKCOUNT, 1);
  lua_call(L, 1, 0);
  return 0;
}

int latch_check_frames(void) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 0;
  latch_frame_check check = {0, false};
  bool counts = find_count(L);
  lua_pushcfunction(L, check_frames);
  lua_pushlightuserdata(L, &check);
  int status = lua_pcall(L, 1, 0, 0);
  lua_close(L);
  if (!counts) return -1;
  if (status == LUA_ERRMEM) return 0;
  return status == LUA_OK && !check.differs && check.seen == 1 ? 1 : -1;
}
