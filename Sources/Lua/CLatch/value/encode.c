/// One byte format for all values that pass between Lua and the host: a tag, then
///
///   integer   8 bytes, little-endian two's complement
///   number    8 bytes, IEEE 754
///   string    length, bytes
///   list      count, values
///   record    count, then for each key in ascending order: length, bytes, value
///   map       as record, with integer keys: 8 bytes, value
///   open      as record, for a `map {}` of a declaration, whose keys stay open
///   empty     an empty table, which may be a list or a record
///   none      a field without a value yet
///   unnamed   as map: a table with integer keys that are not 1 to n, not declared as a map;
///             only values that pass from Lua to the host may contain it (unnamed_map)
///
/// Lengths and counts are varints, seven bits a byte, lowest first. Equal values have equal bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/value.h"

enum { LATCH_TABLE_UNITS = 64 };

static void add_tag(latch_buffer *out, latch_tag tag) {
  uint8_t byte = (uint8_t)tag;
  latch_buffer_add(out, &byte, 1);
}

uint8_t *latch_write_count(uint8_t *out, size_t count) {
  for (; count > 0x7f; count >>= 7) *out++ = (uint8_t)(count | 0x80);
  *out++ = (uint8_t)count;
  return out;
}

void latch_encode_count(latch_buffer *out, size_t count) {
  uint8_t bytes[10];
  latch_buffer_add(out, bytes, (size_t)(latch_write_count(bytes, count) - bytes));
}

static void add_word(latch_buffer *out, uint64_t value) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  latch_buffer_add(out, bytes, 8);
}

static void add_tagged_word(latch_buffer *out, latch_tag tag, uint64_t value) {
  uint8_t *bytes = latch_buffer_room(out, 9);
  if (bytes == NULL) return;
  bytes[0] = (uint8_t)tag;
  for (int i = 0; i < 8; i++) bytes[i + 1] = (uint8_t)(value >> (8 * i));
  out->length += 9;
}

/// Adds a length, and so many bytes.
static void add_text(latch_buffer *out, const char *text, size_t length) {
  uint8_t *start = latch_buffer_room(out, length + 10);
  if (start == NULL) return;
  uint8_t *bytes = latch_write_count(start, length);
  memcpy(bytes, text, length);
  out->length += (size_t)(bytes - start) + length;
}

// MARK: Values

static bool encode_value(latch_encoder *encoder, lua_State *L, int index, int depth);
static bool encode_cell(latch_encoder *encoder, lua_State *L, const latch_cell *cell, int depth);

/// A table is read through `reader`: the data, or a node whose reads are recorded.
typedef struct {
  int data, reader;
} latch_source;

/// Encodes the value on top of the stack, which the table has under that key.
static inline bool encode_child(latch_encoder *encoder, lua_State *L, latch_source source,
  const char *name, lua_Integer index, int depth) {
  int child = lua_gettop(L);
  if (encoder->leave_hole != NULL && lua_istable(L, child) &&
      encoder->leave_hole(
        encoder, L, lua_topointer(L, source.data), lua_topointer(L, child), name, index, depth)) {
    return true;
  }
  if (!encode_value(encoder, L, child, depth))
    return latch_encode_fault_below(encoder, name, index, depth);
  return !encoder->out->failed;
}

/// The same for a cell of the data.
static inline bool encode_child_cell(latch_encoder *encoder, lua_State *L, const void *data,
  const char *name, lua_Integer index, const latch_cell *cell, int depth) {
  if (encoder->leave_hole != NULL && cell->type == LATCH_CELL_TABLE &&
      encoder->leave_hole(encoder, L, data, cell->object, name, index, depth)) {
    return true;
  }
  if (!encode_cell(encoder, L, cell, depth))
    return latch_encode_fault_below(encoder, name, index, depth);
  return !encoder->out->failed;
}

static bool encode_list(
  latch_encoder *encoder, lua_State *L, latch_source source, size_t count, int depth) {
  add_tag(encoder->out, LATCH_TAG_LIST);
  latch_encode_count(encoder->out, count);
  const void *data = source.data == source.reader ? lua_topointer(L, source.data) : NULL;
  for (size_t i = 1; i <= count; i++) {
    lua_Integer index = (lua_Integer)i;
    const latch_cell *cell = data == NULL ? NULL : latch_element_cell(data, index);
    if (cell != NULL) {
      if (!encode_child_cell(encoder, L, data, NULL, index, cell, depth + 1)) return false;
      continue;
    }
    lua_geti(L, source.reader, index);
    if (!encode_child(encoder, L, source, NULL, index, depth + 1)) return false;
    lua_pop(L, 1);
  }
  return true;
}

static bool add_key(latch_encoder *encoder, const latch_encoded_key *key) {
  if (key->text == NULL) {
    add_word(encoder->out, (uint64_t)key->integer);
    return true;
  }
  if (!encoder->knows_texts && !latch_is_utf8(key->text, key->length)) {
    return latch_encode_fault(encoder, "keys are UTF-8");
  }
  add_text(encoder->out, key->text, key->length);
  return true;
}

static bool encode_keyed(latch_encoder *encoder, lua_State *L, latch_source source, size_t count,
  latch_tag tag, int depth) {
  latch_encoded_key few[4];  // each nested table needs so much of the stack
  latch_encoded_key *keys = few;
  if (count > sizeof few / sizeof *few) keys = lua_newuserdatauv(L, count * sizeof *keys, 0);
  latch_read_encoded_keys(L, source.data, keys, count);
  add_tag(encoder->out, tag);
  latch_encode_count(encoder->out, count);
  for (size_t i = 0; i < count; i++) {
    if (!add_key(encoder, &keys[i])) return false;
    if (keys[i].text != NULL) lua_pushlstring(L, keys[i].text, keys[i].length);
    else lua_pushinteger(L, keys[i].integer);
    lua_gettable(L, source.reader);
    if (!encode_child(encoder, L, source, keys[i].text, keys[i].integer, depth + 1)) return false;
    lua_pop(L, 1);
  }
  if (keys != few) lua_pop(L, 1);
  return true;
}

// MARK: Records of few fields

static void read_name(const lua_slot_part *field, latch_encoded_key *key) {
  const latch_cell name = {{.object = field->part.key}, LATCH_CELL_SHORT_TEXT};
  key->text = latch_text_of(&name, &key->length);
}

/// Finds the fields of a table with few named fields, in the order of their names, and returns
/// their number; 0: it is another kind of table. Not inlined into its caller, which calls itself
/// for nested tables: it needs much of the stack.
__attribute__((noinline)) static int find_fields(
  latch_encoder *encoder, const void *data, const lua_slot_part *fields[LATCH_FEW_KEYS]) {
  latch_encoded_key keys[LATCH_FEW_KEYS];
  const lua_slot_part *found[LATCH_FEW_KEYS];
  uint32_t slots = latch_hash_slots(data);
  int count = 0;
  if (slots > 4 * LATCH_FEW_KEYS) return 0;
  for (uint32_t i = 0; i < slots; i++) {
    const lua_slot_part *slot = latch_hash_slot(data, i);
    if (latch_is_nil(&slot->cell)) continue;
    if (count == LATCH_FEW_KEYS || slot->part.key_type != LATCH_CELL_SHORT_TEXT) return 0;
    read_name(slot, &keys[count]);
    found[count++] = slot;
  }
  latch_order_names(&encoder->names, keys, count);
  for (int i = 0; i < count; i++) fields[i] = found[encoder->names.order[i]];
  return count;
}

/// Encodes a table of few named fields. False: it is another kind of table, and nothing is written.
/// If encoding fails, `*fine` is false.
static bool encode_record(
  latch_encoder *encoder, lua_State *L, const void *data, latch_tag tag, int depth, bool *fine) {
  const lua_slot_part *fields[LATCH_FEW_KEYS];
  int count = find_fields(encoder, data, fields);
  if (count == 0) return false;
  add_tag(encoder->out, tag);
  latch_encode_count(encoder->out, (size_t)count);
  for (int i = 0; i < count && *fine; i++) {
    latch_encoded_key key;
    read_name(fields[i], &key);
    *fine = add_key(encoder, &key) &&
            encode_child_cell(encoder, L, data, key.text, 0, &fields[i]->cell, depth + 1);
  }
  return true;
}

/// A value of few bytes may hold the same table a million times: each time is charged for.
static bool pay_for_table(latch_encoder *encoder, lua_State *L) {
  if (!encoder->pays) {
    latch_charge(L, LATCH_TABLE_UNITS);
    return true;
  }
  if (!latch_is_at_work(encoder->vm)) return true;
  latch_spend(encoder->vm, LATCH_TABLE_UNITS / LATCH_UNITS_PER_INSTRUCTION);
  if (encoder->vm->budget.left >= 0) return true;
  snprintf(encoder->fault, sizeof encoder->fault,
    "the instruction limit is reached (%lld) while the result was read",
    (long long)encoder->vm->budget.most);
  return false;
}

static bool may_begin_table(latch_encoder *encoder, lua_State *L, const void *table, int depth) {
  if (encoder->out->failed || !pay_for_table(encoder, L)) return false;
  if (depth >= encoder->vm->limits.nesting) return latch_encode_too_deep(encoder, depth);
  encoder->around[depth] = table;
  return true;
}

/// A record of few fields whose reads are not recorded, or a table that is marked as a list: it is
/// encoded without pushing any of it. False: it is another table, and nothing is written. If
/// encoding fails, `*fine` is false.
static bool encode_simple_table(latch_encoder *encoder, lua_State *L, const void *table,
  latch_table_kind kind, const void *data, int depth, bool *fine) {
  const latch_vm *vm = encoder->vm;
  if (kind == LATCH_RECORDER || latch_array_limit(data) > 0) return false;
  const void *mark = latch_metatable_of(data);
  if (kind == LATCH_NODE) mark = latch_mark_of(vm, mark);
  latch_note_whole_read(L, kind, table);
  bool is_open = mark == vm->map_mark || mark == vm->leaf_mark;
  if (mark == vm->list_mark || (kind == LATCH_PLAIN && mark != NULL && !is_open)) return false;
  return encode_record(encoder, L, data, is_open ? LATCH_TAG_OPEN : LATCH_TAG_RECORD, depth, fine);
}

/// Encodes any table that has been charged for.
static bool encode_any_table(latch_encoder *encoder, lua_State *L, int index, int depth) {
  bool fine = true;
  latch_check_stack(L, 10, "values are nested too deeply");
  latch_table_kind kind = latch_push_data(L, index);
  latch_source source = {lua_gettop(L), lua_gettop(L)};
  if (kind == LATCH_RECORDER) source.reader = index;
  const void *mark = NULL;
  if (lua_getmetatable(L, source.data)) {
    mark = lua_topointer(L, -1);
    lua_pop(L, 1);
  }
  if (kind == LATCH_NODE || kind == LATCH_RECORDER) mark = latch_mark_of(encoder->vm, mark);
  // The shape of a payload is no mark.
  if (kind == LATCH_FROZEN && !latch_is_mark(encoder->vm, mark)) mark = NULL;
  if (kind == LATCH_PLAIN && mark != NULL && !latch_is_mark(encoder->vm, mark)) {
    return latch_encode_fault(encoder, "a table with a metatable is not plain data");
  }
  bool open = mark == encoder->vm->map_mark || mark == encoder->vm->leaf_mark;
  size_t count = lua_rawlen(L, source.data);
  if (kind == LATCH_NODE && mark == encoder->vm->list_mark) {
    fine = encode_list(encoder, L, source, count, depth);
    lua_settop(L, source.data - 1);
    return fine;
  }
  latch_tag named = open ? LATCH_TAG_OPEN : LATCH_TAG_RECORD;
  switch (latch_survey_keys(L, source.data, &count)) {
    case KEYS_NONE:
      if (mark == encoder->vm->list_mark) {
        add_tag(encoder->out, LATCH_TAG_LIST);
        latch_encode_count(encoder->out, 0);
      } else if (mark == NULL || mark == encoder->vm->empty_mark) {
        add_tag(encoder->out, LATCH_TAG_EMPTY);
      } else {
        add_tag(encoder->out, named);
        latch_encode_count(encoder->out, 0);
      }
      break;
    case KEYS_SEQUENCE:
      if (open) {
        if (!encode_keyed(encoder, L, source, count, LATCH_TAG_MAP, depth)) return false;
      } else if (!encode_list(encoder, L, source, count, depth)) {
        return false;
      }
      break;
    case KEYS_INTEGER:
      if (!open && (mark == encoder->vm->list_mark || encoder->unnamed_map == LATCH_TAG_NIL)) {
        return latch_encode_fault(encoder, latch_list_with_holes());
      }
      named = open ? LATCH_TAG_MAP : encoder->unnamed_map;
      if (!encode_keyed(encoder, L, source, count, named, depth)) return false;
      break;
    case KEYS_TEXT:
      if (mark == encoder->vm->list_mark)
        return latch_encode_fault(encoder, "a list has no named keys");
      if (!encode_keyed(encoder, L, source, count, named, depth)) return false;
      break;
    case KEYS_MIXED:
      return latch_encode_fault(
        encoder, "a table has either named keys or the keys 1 to n, not both");
    case KEYS_FOREIGN: return latch_encode_fault(encoder, "keys are strings or integers");
  }
  lua_settop(L, source.data - 1);
  return true;
}

static bool encode_table(
  latch_encoder *encoder, lua_State *L, const void *table, int depth, int index) {
  bool fine = true;
  if (!may_begin_table(encoder, L, table, depth)) return false;
  const void *data;
  latch_table_kind kind = latch_look_at(encoder->vm, table, &data);
  bool knows_texts = encoder->knows_texts;
  encoder->knows_texts = kind == LATCH_NODE || encoder->has_texts_of_state;
  if (!encode_simple_table(encoder, L, table, kind, data, depth, &fine)) {
    if (index == 0) {
      latch_check_stack(L, 1, "values are nested too deeply");
      latch_push_table(L, table);
    }
    fine = encode_any_table(encoder, L, index == 0 ? lua_gettop(L) : index, depth);
    if (fine && index == 0) lua_pop(L, 1);
  }
  encoder->knows_texts = knows_texts;
  return fine;
}

__attribute__((noinline)) static bool refuse_kind(latch_encoder *encoder, lua_State *L, int type) {
  char what[64];
  snprintf(what, sizeof what, "a %s is not plain data", lua_typename(L, type));
  return latch_encode_fault(encoder, what);
}

static bool is_nan(const latch_cell *cell) {
  lua_Number number;
  memcpy(&number, &cell->integer, sizeof number);
  return number != number;
}

static bool encode_cell(latch_encoder *encoder, lua_State *L, const latch_cell *cell, int depth) {
  latch_buffer *out = encoder->out;
  size_t length;
  const char *text;
  switch (cell->type) {
    case LATCH_CELL_FALSE: add_tag(out, LATCH_TAG_FALSE); return true;
    case LATCH_CELL_TRUE: add_tag(out, LATCH_TAG_TRUE); return true;
    case LATCH_CELL_INTEGER:
      add_tagged_word(out, LATCH_TAG_INTEGER, (uint64_t)cell->integer);
      return true;
    case LATCH_CELL_FLOAT:
      if (encoder->refuses_nan && is_nan(cell))
        return latch_encode_fault(encoder, "NaN is not plain data");
      add_tagged_word(out, LATCH_TAG_NUMBER, (uint64_t)cell->integer);
      return true;
    case LATCH_CELL_SHORT_TEXT:
    case LATCH_CELL_LONG_TEXT:
      text = latch_text_of(cell, &length);
      if (!encoder->knows_texts && !latch_is_utf8(text, length)) {
        return latch_encode_fault(encoder, "strings are UTF-8");
      }
      add_tag(out, LATCH_TAG_STRING);
      add_text(out, text, length);
      return true;
    case LATCH_CELL_TABLE: return encode_table(encoder, L, cell->object, depth, 0);
    default: break;
  }
  if (latch_is_nil(cell)) {
    add_tag(out, LATCH_TAG_NIL);
    return true;
  }
  if (cell->type == LATCH_CELL_POINTER && cell->object == latch_none()) {
    add_tag(out, LATCH_TAG_NONE);
    return true;
  }
  return refuse_kind(encoder, L, cell->type & 15);
}

static bool encode_value(latch_encoder *encoder, lua_State *L, int index, int depth) {
  if (lua_istable(L, index)) return encode_table(encoder, L, lua_topointer(L, index), depth, index);
  latch_check_stack(L, 1, "values are nested too deeply");
  lua_pushvalue(L, index);
  const latch_cell value = *latch_top_cells(L, 1);
  lua_pop(L, 1);
  return encode_cell(encoder, L, &value, depth);
}

bool latch_try_encode(latch_encoder *encoder, lua_State *L, int index) {
  int top = lua_gettop(L);
  encoder->knows_texts = encoder->has_texts_of_state;
  bool fine = encode_value(encoder, L, lua_absindex(L, index), encoder->depth);
  lua_settop(L, top);
  if (!fine && encoder->has_place) latch_encode_fault_at(encoder);
  return fine && !encoder->out->failed;
}

bool latch_encode(latch_encoder *encoder, lua_State *L, int index) {
  const latch_cell *value = latch_cell_on_stack(L, index);
  size_t before = encoder->out->length;
  if (value->type == LATCH_CELL_INTEGER) {  // so few bytes cost nothing
    add_tagged_word(encoder->out, LATCH_TAG_INTEGER, (uint64_t)value->integer);
    return encoder->out->failed ? latch_raise_no_memory(L) : true;
  }
  bool fine = latch_try_encode(encoder, L, index);
  if (encoder->out->failed) latch_raise_no_memory(L);
  latch_charge(L, encoder->out->length - before);
  return fine;
}
