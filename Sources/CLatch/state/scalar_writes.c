/// Scalars over which a transition writes a scalar, each once: by far the commonest writes. They
/// are not in the journal. Their changes are encoded as they are written, the way the patch has
/// them, and a change holds what it takes to play it back: until something else is written, no
/// table comes, goes or moves, so that its path leads to where it was written. The first write of
/// any other kind moves them into the journal, and the transition goes on there.

#include <math.h>
#include <string.h>

#include "state/state.h"

enum { NODE = 1, KEY = 2, VALUE = 3, DATA = 4, OLD = 5 };

enum {
  SET = 0,
  HEAD =
    3,  ///< what comes before the keys: the operation, a list, their count (a varint of one byte)
  LONGEST = 40,  ///< Lua has each string up to here once: it is known by its address, and one that
                 ///< is alive is made again without memory; longer ones go through the journal
  DEEPEST = 6,   ///< keys in a path; what stands deeper goes through the journal
};

/// A boolean, a number or a short string, taken off the stack once.
typedef struct {
  int type;          ///< a tag; 0: something else, or not what the state holds as it stands
  uint64_t word;     ///< of a number
  const char *text;  ///< of a string
  size_t length;
} latch_scalar;

static latch_scalar scalar_at(lua_State *L, int index, int type) {
  latch_scalar scalar = {0};
  switch (type) {
    case LUA_TBOOLEAN:
      scalar.type = lua_toboolean(L, index) ? LATCH_TAG_TRUE : LATCH_TAG_FALSE;
      break;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        scalar.type = LATCH_TAG_INTEGER;
        scalar.word = (uint64_t)lua_tointeger(L, index);
      } else {
        lua_Number number = lua_tonumber(L, index);
        if (isnan(number) || (number == 0 && signbit(number))) break;
        scalar.type = LATCH_TAG_NUMBER;
        memcpy(&scalar.word, &number, sizeof scalar.word);
      }
      break;
    case LUA_TSTRING:
      scalar.text = lua_tolstring(L, index, &scalar.length);
      if (scalar.length <= LONGEST) scalar.type = LATCH_TAG_STRING;
      break;
    default: break;
  }
  return scalar;
}

static bool is_equal(latch_scalar a, latch_scalar b) {
  return a.type == b.type && a.word == b.word && a.text == b.text;
}

/// Writes it at `out`, which has room for it, and gives the end.
static uint8_t *write_scalar(uint8_t *out, latch_scalar scalar) {
  *out++ = (uint8_t)scalar.type;
  if (scalar.type == LATCH_TAG_STRING) {
    *out++ = (uint8_t)scalar.length;  // a varint of one byte
    memcpy(out, scalar.text, scalar.length);
    return out + scalar.length;
  }
  if (scalar.type != LATCH_TAG_INTEGER && scalar.type != LATCH_TAG_NUMBER) return out;
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(scalar.word >> (8 * i));
  return out + 8;
}

static bool is_machine(const latch_vm *vm, const char *address) {
  for (int i = 0; i < vm->machine_count && i < LATCH_KNOWN_MACHINES; i++) {
    if (vm->machine_fields[i] == address) return true;
  }
  return false;
}

/// Whether only a machine, or the host, may write the field.
static bool is_guarded(const latch_vm *vm, const char *address) {
  if (vm->machine_count == 0 || vm->host_writes) return false;
  return vm->machine_count > LATCH_KNOWN_MACHINES || is_machine(vm, address);
}

static bool is_key(latch_scalar key) {
  return key.type == LATCH_TAG_STRING || key.type == LATCH_TAG_INTEGER;
}

/// Fills in the keys on the way from the state to the node, the last one first, behind the key that
/// is there, and gives how many there are then; 0: the node stands too deep, or not where it was
/// last seen.
static int read_path(lua_State *L, const latch_vm *vm, const void *node, latch_scalar *path) {
  enum { PLACE = OLD + 1, PARENT, ITS_KEY, PARENTS_PLACE, PARENTS_DATA, THERE };
  int count = 1;
  if (node == vm->root) return count;
  lua_getmetatable(L, NODE);
  for (; node != vm->root; count++) {
    if (count == DEEPEST || lua_rawgeti(L, PLACE, 1) != LUA_TTABLE) return 0;
    path[count] = scalar_at(L, ITS_KEY, lua_rawgeti(L, PLACE, 2));
    if (!is_key(path[count])) return 0;
    lua_getmetatable(L, PARENT);
    lua_rawgeti(L, PARENTS_PLACE, 3);
    lua_pushvalue(L, ITS_KEY);
    lua_rawget(L, PARENTS_DATA);
    if (lua_topointer(L, THERE) != node) return 0;
    node = lua_topointer(L, PARENT);
    lua_copy(L, PARENTS_PLACE, PLACE);
    lua_settop(L, PLACE);
  }
  return count;
}

/// Adds the change of a field that was not written before.
static bool add_change(lua_State *L, latch_vm *vm, const void *node, latch_scalar key,
  latch_scalar old, latch_scalar new) {
  if (vm->written_count == LATCH_MOST_WRITTEN) return false;
  latch_scalar path[DEEPEST];
  path[0] = key;
  int keys = read_path(L, vm, node, path);
  if (keys == 0) return false;
  uint8_t bytes[HEAD + (DEEPEST + 2) * (LONGEST + 2)];
  bytes[0] = SET;
  bytes[1] = LATCH_TAG_LIST;
  bytes[2] = (uint8_t)keys;
  uint8_t *old_at = bytes + HEAD;
  for (int i = keys - 1; i >= 0; i--) old_at = write_scalar(old_at, path[i]);
  uint8_t *new_at = write_scalar(old_at, old);
  uint8_t *end = write_scalar(new_at, new);
  if (vm->written_count == 0) latch_buffer_clear(&vm->patch);
  size_t start = vm->patch.length;
  latch_buffer_add(&vm->patch, bytes, (size_t)(end - bytes));
  if (vm->patch.failed) return false;
  if (old.type == LATCH_TAG_STRING && !(keys == 1 && is_machine(vm, key.text))) {
    // So that playing it back needs no memory. A machine's states are kept anyway.
    lua_pushvalue(L, OLD);
    lua_rawseti(L, LUA_REGISTRYINDEX, LATCH_R_OLD_TEXTS + vm->written_count);
  }
  vm->written[vm->written_count++] = (latch_written_scalar){node, key.text, key.word, start,
    (uint16_t)(old_at - bytes), (uint16_t)(new_at - old_at), (uint16_t)(end - new_at)};
  return true;
}

/// Changes the new value of a field that was written before, where it takes as much room and is not
/// what the field held at first.
static bool amend_change(latch_vm *vm, const latch_written_scalar *field, latch_scalar new) {
  uint8_t bytes[LONGEST + 2];
  size_t length = (size_t)(write_scalar(bytes, new) - bytes);
  uint8_t *old = vm->patch.bytes + field->start + field->head;
  if (length != field->new) return false;
  if (length == field->old && memcmp(bytes, old, length) == 0) return false;
  memcpy(old + field->old, bytes, length);
  return true;
}

/// The change of the field as the patch has it. False: it is not as simple as that.
static bool note_change(lua_State *L, latch_vm *vm, const void *node, latch_scalar key,
  latch_scalar old, latch_scalar new) {
  for (int i = 0; i < vm->written_count; i++) {
    const latch_written_scalar *field = &vm->written[i];
    if (field->node == node && field->name == key.text && field->index == key.word) {
      return amend_change(vm, field, new);
    }
  }
  return add_change(L, vm, node, key, old, new);
}

bool latch_write_scalar(lua_State *L, latch_vm *vm) {
  if (vm->journal_count > 0 || vm->written_closed) return false;
  const void *node = lua_topointer(L, NODE);
  bool is_root = node == vm->root;
  latch_scalar key = scalar_at(L, KEY, lua_type(L, KEY));
  if (!is_key(key) || (is_root && is_guarded(vm, key.text))) return false;
  latch_scalar new = scalar_at(L, VALUE, lua_type(L, VALUE));
  if (new.type == 0 || (new.text != NULL &&latch_scalar_fault(L, VALUE) != NULL)) return false;
  if (is_root) lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  else latch_push_node_data(L, NODE);
  lua_pushvalue(L, KEY);
  latch_scalar old = scalar_at(L, OLD, lua_rawget(L, DATA));
  if (is_equal(old, new)) return true;
  bool fine = old.type != 0 && note_change(L, vm, node, key, old, new);
  if (fine) lua_copy(L, DATA, NODE);
  lua_settop(L, VALUE);
  if (fine) lua_rawset(L, NODE);
  return fine;
}

bool latch_write_move(lua_State *L, latch_vm *vm, const uint8_t *change, const latch_step *step) {
  bool fits = vm->journal_count == 0 && !vm->written_closed &&
              vm->machine_count <= LATCH_KNOWN_MACHINES && vm->written_count < LATCH_MOST_WRITTEN;
  if (!fits) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE_DATA);
  lua_rawgeti(L, LUA_REGISTRYINDEX, step->function);
  const char *name = lua_tostring(L, -1);
  for (int i = 0; i < vm->written_count; i++) {
    fits = fits && !(vm->written[i].node == vm->root && vm->written[i].name == name);
  }
  if (vm->written_count == 0) latch_buffer_clear(&vm->patch);
  size_t start = vm->patch.length;
  if (fits) {
    latch_buffer_add(&vm->patch, change, (size_t)step->head + step->old_length + step->new_length);
    fits = !vm->patch.failed;
  }
  if (fits) {
    vm->written[vm->written_count++] = (latch_written_scalar){
      vm->root, name, 0, start, step->head, step->old_length, step->new_length};
    lua_rawgeti(L, LUA_REGISTRYINDEX, step->moves_to);
    lua_rawset(L, -3);
  }
  lua_settop(L, 0);
  return fits;
}

// MARK: Out of the encoded changes again

/// Pushes the node and the key, and gives where the old value begins.
static const uint8_t *push_place(lua_State *L, const latch_vm *vm, int index) {
  const latch_written_scalar *field = &vm->written[index];
  const uint8_t *cursor = vm->patch.bytes + field->start + HEAD;
  const uint8_t *end = vm->patch.bytes + field->start + field->head;
  lua_rawgeti(L, LUA_REGISTRYINDEX, LATCH_R_STATE);
  for (int keys = cursor[-1]; keys > 1; keys--) {
    latch_push_node_data(L, -1);
    latch_decode(L, &cursor, end, 0);
    lua_rawget(L, -2);
    lua_copy(L, -1, -3);
    lua_pop(L, 2);
  }
  latch_decode(L, &cursor, end, 0);
  return cursor;
}

void latch_push_written_place(lua_State *L, const latch_vm *vm, int index) {
  push_place(L, vm, index);
}

void latch_push_written(lua_State *L, const latch_vm *vm, int index) {
  const uint8_t *old = push_place(L, vm, index);
  latch_decode(L, &old, old + vm->written[index].old, 0);
}

void latch_finish_scalars(lua_State *L, latch_vm *vm) {
  if (vm->written_closed) return;
  vm->written_closed = true;
  if (vm->written_count == 0) return;
  latch_check_stack(L, LUA_MINSTACK, "too much at once");
  int top = lua_gettop(L);
  for (int i = 0; i < vm->written_count; i++) {
    latch_push_written(L, vm, i);
    latch_append_entry(L, top + 1, top + 2, top + 3, LATCH_J_SET);
    lua_settop(L, top);
  }
  vm->written_count = 0;  // not before: where memory runs out, they are played back from here too
}

void latch_journal(lua_State *L, int node, int key, int old, latch_operation operation) {
  latch_finish_scalars(L, latch_of(L));
  latch_append_entry(L, node, key, old, operation);
}

void latch_restore_scalars(lua_State *L, latch_vm *vm) {
  for (int i = 0; i < vm->written_count; i++) {
    lua_settop(L, 0);
    latch_push_written(L, vm, i);
    latch_push_node_data(L, 1);
    lua_replace(L, 1);
    lua_rawset(L, 1);
  }
  vm->written_count = 0;
}
