/// The value layer: plain data, the kinds of tables, the order of keys, and the encoding of values
/// as bytes.
///
/// It may use the machine layer.

#ifndef LATCH_VALUE_H
#define LATCH_VALUE_H

#include "machine/machine.h"

// MARK: Kinds of tables (kinds.c)

typedef enum {
  LATCH_PLAIN,     ///< an ordinary table of the script
  LATCH_NODE,      ///< a node of the state: can be read freely; writes go through the write barrier
  LATCH_FROZEN,    ///< a payload, a library or a module: read-only
  LATCH_RECORDER,  ///< a node whose reads are recorded for the running view or invariant
} latch_table_kind;

/// Returns the kind of the table at `index`; any other value counts as plain.
latch_table_kind latch_kind(lua_State *L, int index);
/// True for a node of the state, also if its reads are recorded.
bool latch_is_node(lua_State *L, int index);

/// Pushes the raw table that holds the keys of the table at `index`: the table itself, or the data
/// behind a proxy. Never write to it. If reads of the node are recorded, this counts as reading all
/// of it, but not what is in its tables: read those with lua_geti or lua_gettable on the proxy.
latch_table_kind latch_push_data(lua_State *L, int index);
/// Raises if an effect runs on this thread, unless it runs a stub.
void latch_check_effect_read(lua_State *L);
/// The same. Called before a table of the state is read.
static inline void latch_check_state_read(lua_State *L) {
  if (latch_of(L)->phase == LATCH_EFFECT) latch_check_effect_read(L);
}
/// Reports that all of a table of that kind is read. Raises if an effect reads the state in this
/// way.
static inline void latch_note_whole_read(lua_State *L, latch_table_kind kind, const void *table) {
  if (kind == LATCH_PLAIN || kind == LATCH_FROZEN) return;
  latch_check_state_read(L);
  latch_vm *vm = latch_of(L);
  if (kind == LATCH_NODE && vm->on_whole_read != NULL) vm->on_whole_read(vm, table);
}
/// True for the metatable of a node whose reads are recorded.
static inline bool latch_is_recorded(const latch_vm *vm, const void *metatable) {
  if (vm->recorded.count == 0) return false;
  const latch_cell *index = latch_field_cell(metatable, vm->index_name);
  return index->type == LATCH_CELL_FUNCTION && index->function == vm->guards.recorder;
}
/// The kind of a table that Lua has, and its data; NULL if reads of it are recorded.
latch_table_kind latch_look_at(const latch_vm *vm, const void *table, const void **data);
/// The same for a table that is known to be a node.
void latch_push_node_data(lua_State *L, int index);

/// The metamethod of assignments to read-only tables: raises an error.
int latch_refuse_write(lua_State *L);

/// The length of the table at `index` as a list, without calling a script's `__len`.
lua_Integer latch_length(lua_State *L, int index);

/// The access to an element of a table: a read, or an assignment.
typedef enum { LATCH_ELEMENT_READ, LATCH_ELEMENT_WRITTEN } latch_access;

/// Charges for the tables to which the metatable of the one at `index` leads by `__index` or
/// `__newindex`, if there are many: the library follows them for each element, and no hook is
/// called meanwhile.
void latch_charge_links(lua_State *L, int index, latch_access access);

// MARK: Marks, which say what the data of a table is (kinds.c)

/// The metatable of data that has a type is the shape of the type (shapes.c): at this index it has
/// the kind of table, and in the higher bits the number of the type.
enum { LATCH_SHAPE_TYPE = 4, LATCH_TYPED_BITS = 2 };
enum { LATCH_TYPED_LIST = 1, LATCH_TYPED_MAP, LATCH_TYPED_RECORD };

/// Returns the kind of typed table whose data has that metatable; 0 if it has no type.
static inline int latch_typed_kind(const void *metatable) {
  const latch_cell *cell = latch_element_cell(metatable, LATCH_SHAPE_TYPE);
  if (cell == NULL || cell->type != LATCH_CELL_INTEGER) return 0;
  return (int)(cell->integer & ((1 << LATCH_TYPED_BITS) - 1));
}

void latch_open_marks(lua_State *L);
/// The mark that corresponds to the metatable of data of the state.
static inline const void *latch_mark_of(const latch_vm *vm, const void *metatable) {
  if (vm->types == NULL || metatable == NULL) return metatable;
  int kind = latch_typed_kind(metatable);
  if (kind == LATCH_TYPED_LIST) return vm->list_mark;
  return kind == LATCH_TYPED_MAP ? vm->map_mark : metatable;
}
bool latch_is_mark(latch_vm *vm, const void *metatable);
/// Returns the mark of the data at `index`: a list, a map, empty, or (0) a closed record.
int latch_data_mark(lua_State *L, int index);
/// True if the data is marked as a map that holds no tables.
bool latch_is_leaf(lua_State *L, int data);
void latch_set_mark(lua_State *L, int index, int mark);
/// Makes getmetatable return false for the metatable at `index`.
void latch_hide_metatable(lua_State *L, int index);

// MARK: Plain data (plain.c)

/// The value of `none`: a field without a value yet.
void *latch_none(void);
bool latch_is_none(lua_State *L, int index);
/// True if both values are equal, the kind of number included.
bool latch_is_same(lua_State *L, int a, int b);
/// Returns why the value at `index` (not a table) cannot be in the state, or NULL. Changes -0.0 to
/// 0.0.
const char *latch_scalar_fault(lua_State *L, int index);
// utf8_text.c
bool latch_is_utf8(const char *text, size_t length);
/// The length of the character at `at`, which is not ASCII; 0 if it is not valid.
size_t latch_character_length(const uint8_t *at, const uint8_t *end);

// printable.c

/// Replaces the text at the index, if it is not UTF-8, by one in which each byte that is not part
/// of a character is escaped as in Lua: \255.
void latch_make_printable(lua_State *L, int index);
/// Adds a text, escaped in the same way.
void latch_add_printable(latch_buffer *out, const char *text, size_t length);
/// False for a string that is not UTF-8.
bool latch_is_utf8_key(lua_State *L, int index);

// MARK: Order (keys.c, sorted_keys.c)

// Integers ascending, floats ascending, strings byte by byte, false and true.

/// The order of kinds: integers, floats, strings, booleans.
typedef enum {
  LATCH_KEY_INTEGER,
  LATCH_KEY_NUMBER,
  LATCH_KEY_STRING,
  LATCH_KEY_BOOLEAN,
} latch_rank;

/// A view of a value that something else keeps alive, at `place`.
typedef struct {
  latch_rank rank;
  uint32_t place;
  union {
    lua_Integer integer;
    lua_Number number;
    struct {
      const char *bytes;
      size_t length;
      uint64_t prefix;  ///< the first 8 bytes as a number: most strings differ there
    } string;
  };
} latch_key;

/// Reads the value at `index`. False for nil, NaN, and values that only have an identity.
bool latch_key_read(lua_State *L, int index, latch_key *key);

/// The string at `index`, as `latch_key_read` does it.
void latch_key_read_string(lua_State *L, int index, latch_key *key);

/// Negative, 0 or positive. Strings compare byte by byte in every locale.
int latch_key_compare(const latch_key *a, const latch_key *b);

/// Sorts in place; equal keys keep their order. `spare` has space for `count` keys.
void latch_keys_sort(latch_key *keys, latch_key *spare, size_t count);

/// Charges the highest cost of sorting, which depends on the keys, not on their order.
void latch_keys_charge_sort(lua_State *L, size_t count, size_t string_bytes);

/// Bytewise comparison of two strings.
int latch_bytes_compare(const char *a, size_t a_length, const char *b, size_t b_length);

/// Pushes a sequence of the keys of the raw table at `index`, in order. Raises on a key that has no
/// position in that order.
void latch_sorted_keys(lua_State *L, int index);

/// Charges for the empty slots that a traversal with lua_next visits in a table that was once much
/// larger: `live` is the number of keys found. Must be called after each traversal of a table that
/// a script may have emptied.
void latch_charge_empty_slots(lua_State *L, int index, size_t live);

/// The result of visiting all keys of a table.
typedef struct {
  size_t count, string_bytes;
  bool is_sequence;  ///< the keys are exactly 1 to count
} latch_census;

/// Keys are visited in the order of their hashes: most are not in the processor's cache.
enum { LATCH_ELEMENTS_PER_KEY = 2 };

/// Reads the key at `index`. Raises if it has no position in the order.
void latch_read_key(lua_State *L, int index, latch_key *key);
/// Visits all keys of the raw table at `table` (absolute), and charges for it.
latch_census latch_count_keys(lua_State *L, int table);
/// Pushes the sorted keys of the table of that census.
void latch_push_sorted_keys(lua_State *L, int table, latch_census census);

// MARK: Bytes (encode.c, decode.c)

typedef enum {
  LATCH_TAG_NIL,
  LATCH_TAG_FALSE,
  LATCH_TAG_TRUE,
  LATCH_TAG_INTEGER,
  LATCH_TAG_NUMBER,
  LATCH_TAG_STRING,
  LATCH_TAG_LIST,
  LATCH_TAG_RECORD,
  LATCH_TAG_MAP,
  LATCH_TAG_EMPTY,
  LATCH_TAG_OPEN,
  LATCH_TAG_NONE,
  LATCH_TAG_UNNAMED_MAP,
} latch_tag;

enum { LATCH_FEW_KEYS = 16 };

/// The names of the fields of a record in Lua's own order, and their positions in the fixed one.
typedef struct {
  int count;
  uint8_t order[LATCH_FEW_KEYS];
  const char *texts[LATCH_FEW_KEYS];
} latch_names;

typedef struct latch_encoder {
  latch_vm *vm;
  latch_buffer *out;
  /// Called for each table inside of another one, `data`: true if the table is left out. NULL: all
  /// are encoded.
  bool (*leave_hole)(struct latch_encoder *encoder, lua_State *L, const void *data,
    const void *table, const char *name, lua_Integer index, int depth);
  const char *start;  ///< the path of the value itself, or NULL
  int depth;          ///< the depth of the value in the state
  bool pays;          ///< a result of a script: the work around the run is charged for reading it
  bool refuses_nan;   ///< the value is for the state, which has no NaN
  bool has_place;     ///< the fault is at a position in the value
  latch_tag unnamed_map;    ///< the tag for a table whose integer keys are not 1 to n, and which
                            ///< is not declared as a map; LATCH_TAG_NIL: it is refused
  bool has_texts_of_state;  ///< its texts were checked when they were written
  bool knows_texts;         ///< the same for the table that is being encoded
  latch_names names;
  int most_told;  ///< the deepest level of a fault that is reported: a cycle is shown once; 0: any
                  ///< level
  /// The tables around the one that is encoded, by their depth: not cleared, as the texts are not.
  const void *around[LATCH_DEEPEST_NESTING + 1];
  char fault[256];  ///< the fault, with its path; empty if there is none
  char path[192];
} latch_encoder;

/// The texts of an encoder are not cleared: it is created for each value.
static inline void latch_encoder_begin(latch_encoder *encoder, latch_vm *vm, latch_buffer *out) {
  encoder->vm = vm;
  encoder->out = out;
  encoder->leave_hole = NULL;
  encoder->start = NULL;
  encoder->depth = encoder->names.count = encoder->most_told = 0;
  encoder->pays = encoder->refuses_nan = encoder->has_place = false;
  encoder->unnamed_map = LATCH_TAG_NIL;
  encoder->has_texts_of_state = encoder->knows_texts = false;
  encoder->fault[0] = encoder->path[0] = 0;
}

// encoded_keys.c

typedef struct {
  const char *text;  ///< anchored by the table that is being read; NULL for an integer key
  size_t length;
  lua_Integer integer;
} latch_encoded_key;

typedef enum {
  KEYS_NONE,
  KEYS_SEQUENCE,
  KEYS_TEXT,
  KEYS_INTEGER,
  KEYS_MIXED,
  KEYS_FOREIGN
} latch_key_survey;

/// Returns the kind of keys of the raw table at `data`, and stores their number in `*count`.
latch_key_survey latch_survey_keys(lua_State *L, int data, size_t *count);
/// Fills `keys` with the keys of the table in ascending order.
void latch_read_encoded_keys(lua_State *L, int data, latch_encoded_key *keys, size_t count);
/// Sorts the names, unless they are those of the previous record, as is common for the elements of
/// a list.
void latch_order_names(latch_names *names, const latch_encoded_key *keys, int count);

// encode_fault.c

/// Records the fault. Returns false.
bool latch_encode_fault(latch_encoder *encoder, const char *what);
/// Records that values are nested too deeply up to `depth`, or that a table contains itself.
/// Returns false.
bool latch_encode_too_deep(latch_encoder *encoder, int depth);
/// Puts ".name" or "[1]" in front of the path of the fault at that depth. Returns false.
bool latch_encode_fault_below(
  latch_encoder *encoder, const char *name, lua_Integer index, int depth);
/// Puts the path in front of the fault.
void latch_encode_fault_at(latch_encoder *encoder);

/// Encodes the value at `index`. Raises when memory runs out, that of `out` too. If it returns
/// false, `fault` has the reason.
bool latch_encode(latch_encoder *encoder, lua_State *L, int index);
/// The same for the host's own use: nothing is charged, and a full buffer is not an error.
bool latch_try_encode(latch_encoder *encoder, lua_State *L, int index);
void latch_encode_count(latch_buffer *out, size_t count);
/// Writes the varint at `out`, which has space for ten bytes. Returns its end.
uint8_t *latch_write_count(uint8_t *out, size_t count);

/// Pushes the value that starts at *cursor and moves the cursor behind it. Raises on bytes that
/// encode no value and when memory runs out.
void latch_decode(lua_State *L, const uint8_t **cursor, const uint8_t *end, int depth);
/// Reads the start of a record, and returns the number of its fields, each a name and a value.
/// Raises if it is not a record.
size_t latch_decode_record(lua_State *L, const uint8_t **cursor, const uint8_t *end);
/// Reads the start of a list, and returns the number of its elements. Raises if it is not a list.
size_t latch_decode_list(lua_State *L, const uint8_t **cursor, const uint8_t *end);
/// Pushes the name of a field.
void latch_decode_name(lua_State *L, const uint8_t **cursor, const uint8_t *end);
/// Moves the cursor behind the value without creating it. Raises on bytes that encode no value.
void latch_skip(lua_State *L, const uint8_t **cursor, const uint8_t *end, int depth);

// MARK: Read-only tables (frozen.c)

/// Makes the plain table on top of the stack, and all tables in it, read-only.
void latch_freeze(lua_State *L);
/// The same for this table only: its contents stay unchanged.
void latch_freeze_shallow(lua_State *L);
/// Pushes the current payload as one that may be kept (run/payload.c).
void latch_push_frozen_payload(lua_State *L);
/// Makes the table on top of the stack, and all tables in it, read-only in place.
void latch_freeze_in_place(lua_State *L);
/// True for a declarator of the flow, which no script can change: it guards itself.
bool latch_is_declarator(lua_State *L, int index);

/// Fills the metatable below the top of the stack for an empty table that is a proxy: the value on
/// top, which is popped, becomes its `__index`, and `guard` its `__newindex`. `has_length`: the
/// proxy has a length.
void latch_set_proxy_events(lua_State *L, lua_CFunction guard, bool has_length);
/// Gives the metatable on top of the stack the `__eq` that latch_vm.compares_contents refers to.
void latch_give_equality(lua_State *L);

// MARK: Names (nearest.c)

/// Pushes `; did you mean NAME?` or an empty string, for a name that is not a key of the table.
void latch_push_suggestion(lua_State *L, int names, const char *name);
/// Raises that a record has no field with the key at `key`. The keys of the table at `fields` are
/// those that it has, the text at `path` is its name in messages.
void latch_refuse_undeclared(lua_State *L, int fields, int path, int key);

// absent.c

/// Pushes "; " and that advice, or otherwise what latch_push_suggestion pushes.
void latch_push_advice(lua_State *L, int names, const char *name);
/// Adds that advice to the text on top of the stack if the text reports that such a name is nil.
void latch_explain_nil(lua_State *L);

// MARK: Lengths of time (durations.c)

/// The seconds of the number or the duration text at `index`; false if it is neither.
bool latch_to_seconds(lua_State *L, int index, lua_Number *seconds);

#endif
