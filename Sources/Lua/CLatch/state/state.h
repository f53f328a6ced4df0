/// The state layer: the tree of nodes, the checks of writes, the undo log, the patch of a
/// transaction, and the readers that run again after a change.
///
/// It may use the run layer.

#ifndef LATCH_STATE_H
#define LATCH_STATE_H

#include "run/run.h"
#include "state/records.h"
#include "state/scalars.h"
#include "state/trace.h"
#include "state/types.h"

// MARK: Nodes (node.c)

// A node is an empty proxy; its metatable holds the data and the place.

/// The slot of a node's metatable that is set once another node was removed from it (set_child.c).
enum { LATCH_NODE_TAKEN_FROM = 4 };

/// Pushes a new node for the data table at that index, with its place: under the key at `key` of
/// the node at `parent`, 0 for none. All indices are absolute. `has_length`: the node has a length.
void latch_push_new_node(lua_State *L, int data, int parent, int key, bool has_length);
/// Gives the node at that index the length operator.
void latch_give_length(lua_State *L, int node);
/// Sets the node's place: the parent node and the key that it has there.
void latch_set_place(lua_State *L, int node, int parent, int key);
/// Pushes parent and key of the node at `index`, or nothing. The key is searched for if the node
/// moved.
bool latch_push_place(lua_State *L, int index);
/// The depth of the node below the root, which has depth 1, computed from the places of nodes; 0 if
/// it is not in the state. More than LATCH_DEEPEST_NESTING: too deep to compute.
int latch_depth_of(const latch_vm *vm, const void *node);
/// Pushes a path such as "state.rows[1].note" for a key of a node.
const char *latch_push_path(lua_State *L, int node, int key);
/// Pushes the path of the node with that data, which is searched for from the root on and charged
/// for; "this record" if it is not in the state.
void latch_push_path_of_data(lua_State *L, const void *data);
/// Appends ".name", "[1]" or "[\"other name\"]" to the path on top of the stack.
void latch_append_step(lua_State *L, int key);
/// Raises "PATH: what", with the script's line.
int latch_path_error(lua_State *L, int node, int key, const char *what);
/// True for text that can follow a dot.
bool latch_is_name(const char *text);

// MARK: Closed records (shapes.c)

/// Pops the path on top of the stack and pushes the shape of the declared record at `source`.
/// `type`: the number of its type, 0 if it has none.
void latch_push_new_shape(lua_State *L, int source, uint32_t type);
/// Pushes the shape for tables of that type.
void latch_push_typed_shape(lua_State *L, uint32_t type);
/// Pushes the shape for tables at `key` of this data. False, with nothing pushed: any shape is
/// allowed.
bool latch_push_shape(lua_State *L, int data, int key);
/// The same for data that has the shape at `shape`.
bool latch_push_child_shape(lua_State *L, int shape, int key);
/// The number of the type of values at `key` of data with the shape at `shape`.
uint32_t latch_type_in_shape(lua_State *L, int shape, int key);
/// True if a node whose data has that metatable (NULL: none) fits unchanged at `key` of this data.
bool latch_takes_shape(lua_State *L, int data, int key, const void *metatable);
/// True if the state has a field of the name at `name`, machines included.
bool latch_is_field(lua_State *L, int name);

// MARK: Types (typed.c)

/// Converts the value at `value`, which is not a table, for the type of `key` of this data. Raises
/// if it does not fit, or if the place must have a table.
void latch_fit_value(lua_State *L, int node, int key, int value, int data);
/// True if the value at `value` fits that type. Replaces it by the converted value.
bool latch_takes_value(lua_State *L, uint32_t type, int value);
/// The same for a key that is added.
void latch_fit_key(lua_State *L, int node, int key, int data);
/// Pushes the end of a sentence: what the type requires, and the value that was found at `value`.
void latch_push_misfit(lua_State *L, uint32_t type, int value);
/// Return the number of the type of the shape at `shape`, and the type; 0 and NULL if it has none.
uint32_t latch_number_of_shape(lua_State *L, int shape);
const latch_type *latch_type_of_shape(lua_State *L, int shape);
/// True if the data's length fits the type; otherwise `*length` is the actual length.
bool latch_has_length(lua_State *L, const latch_type *type, int data, uint64_t *length);
/// Stores the line that puts a table into the state, for the next entry of the undo log.
void latch_note_put(lua_State *L);
/// Pushes the line at which that entry was made; an empty text if it is not known.
void latch_push_put(lua_State *L, lua_Integer entry);
/// Records that the node gets longer or shorter: its length is checked when the function ends.
void latch_note_growth(lua_State *L, int node, int data);
/// Adopts the tables that a function which has ended has put into the state, and checks lengths.
void latch_end_function(lua_State *L);
/// Makes nodes of the tables that were put into the state since the last call.
int latch_adopt_writes(lua_State *L);
/// Raises if a table has another length than its type allows.
void latch_check_grown(lua_State *L);
void latch_forget_puts(lua_State *L);
/// Pushes the default value of the type. False: nothing was pushed, the value must be given.
bool latch_push_beginning(lua_State *L, uint32_t type);

// MARK: Elements of lists (elements.c)

/// Shift the elements of a raw list; the value is on top of the stack. Neither charges.
void latch_raw_insert(lua_State *L, int data, lua_Integer position);
void latch_raw_remove(lua_State *L, int data, lua_Integer position);
/// True if the node on top of the stack has its place in the list `node`, at `key` if that is not
/// 0.
bool latch_is_at_home(lua_State *L, int node, lua_Integer key);
/// Updates the places of the elements of the list `node` after all of them have moved.
void latch_place_elements(lua_State *L, int node, int data);
/// Updates the places of elements before an element is inserted (`by` 1) or removed (-1).
void latch_shift_elements(lua_State *L, int node, int data, lua_Integer position, int by);

// MARK: What was written (log.c, written_nodes.c)

/// The stack slots of a node, a key, the old value there and the table that is put there (0: none).
typedef struct {
  int node, key, old, put;
} latch_place;

/// The patch of a write, without its holes: a part of the log's `pieces`.
typedef struct {
  size_t start, end;
} latch_piece;

/// The data of a node (see node.c).
static inline const void *latch_data_of(const void *node) {
  return latch_element_cell(latch_metatable_of(node), 3)->object;
}

/// The cell of a table under that key; NULL if it has none, or if only Lua can find it.
static inline latch_cell *latch_cell_at(const void *table, const latch_cell *key) {
  if (key->type == LATCH_CELL_SHORT_TEXT) return latch_field_cell(table, key->object);
  return key->type == LATCH_CELL_INTEGER ? latch_element_cell(table, key->integer) : NULL;
}

/// The node that a table of the state has under that key; NULL if it has none. Never raises.
const void *latch_node_at(lua_State *L, const void *data, const latch_cell *key);

#define LATCH_NOT_WRITTEN UINT32_MAX
/// The number of a node that was written to, or that is above such a node, since paths were last
/// cleared; LATCH_NOT_WRITTEN for any other.
uint32_t latch_find_written_node(const latch_log *log, const void *node);
/// The number of a node among those that were written to, or are above such a node; it is added if
/// necessary. `depth`: how many nodes below it are being added.
uint32_t latch_written_node_at(lua_State *L, latch_vm *vm, const void *node, int depth);
/// True if a node can be given a number without allocating memory and without calling Lua.
bool latch_has_room_for_node(const latch_vm *vm, const void *node);
/// Keeps the value at `index` alive until the transaction ends, and returns its number.
uint32_t latch_anchor(lua_State *L, int index);
void latch_push_anchored(lua_State *L, uint32_t anchor);

/// Records a write that neither adds nor removes a table.
void latch_log_scalar(lua_State *L, latch_vm *vm, const void *node, latch_scalar key,
  latch_scalar old, latch_scalar new);
/// The same for the field of a machine whose state changes. Never raises. False: memory would have
/// to be allocated.
bool latch_log_move(
  latch_vm *vm, const void *node, latch_scalar key, latch_scalar old, latch_scalar new);
/// Records the place of the node before it leaves its place.
void latch_log_place(lua_State *L, latch_vm *vm, const void *node);
/// Records that entry of the undo log. Called by latch_undo_log.
void latch_log_entry(lua_State *L, latch_vm *vm, uint32_t entry, latch_piece piece);
/// Called when tables have moved: paths are computed again from now on.
void latch_forget_paths(latch_vm *vm);

/// Called when no more holes are added, and some must be found by their tables.
void latch_index_holes(lua_State *L, latch_vm *vm);
/// Records that the table of a script at that address, which that entry of the undo log has put
/// somewhere, has become the node on top of the stack there.
void latch_note_promoted(lua_State *L, const void *table, uint32_t entry);

void latch_log_begin(latch_vm *vm);
/// Drops what the log has kept, unless it is so little that it may stay.
void latch_log_end(lua_State *L, latch_vm *vm);
bool latch_log_may_stay(const latch_vm *vm);
void latch_log_shrink(latch_vm *vm);
void latch_log_free(latch_vm *vm);
/// Undoes all writes, the last one first.
void latch_take_back(lua_State *L, latch_vm *vm);
/// Pushes the former key of a node that has left its place.
void latch_push_place_key(lua_State *L, const latch_written *write);
/// Pushes the node and the key of a write without an entry.
void latch_push_written_place(lua_State *L, const latch_vm *vm, const latch_written *write);

// MARK: The undo log (undo_log.c)

typedef enum {
  LATCH_J_SET,
  LATCH_J_INSERT,
  LATCH_J_REMOVE,
  LATCH_J_REPLACE,
  LATCH_J_KIND,
} latch_operation;
/// Adds an entry to the undo log and to the log.
void latch_undo_log(lua_State *L, latch_place at, latch_operation operation, latch_piece piece);
/// Pushes node, key, old value (nil if there was none), operation and the table that was put there
/// (or false) of an entry (1, 2, ...).
void latch_push_entry(lua_State *L, lua_Integer entry);
/// Pushes the first two of them.
void latch_push_place_of_entry(lua_State *L, lua_Integer entry);
/// Undoes an entry. Clears the stack.
void latch_undo_entry(lua_State *L, lua_Integer entry);
void latch_clear_undo_log(lua_State *L);

// MARK: The patch (changes.c, patch.c)

/// The parts of a change that is being encoded.
typedef struct {
  latch_piece piece;
  int node, key;
  int depth;
  bool is_in_state;  ///< otherwise the patch does not contain it
} latch_change;

/// How a value is encoded in a change.
typedef enum {
  LATCH_PART_VALUE,  ///< the present value; tables of scripts in it leave holes
  LATCH_PART_HOLE,   ///< a hole: the table is encoded when the transaction ends
} latch_part;

/// Used for writes that are not in the patch.
#define LATCH_NO_PIECE ((latch_piece){0, 0})

/// Begins a change of node[key], or of the node itself (`key` 0).
latch_change latch_begin_change(
  lua_State *L, latch_vm *vm, latch_operation operation, int node, int key);
/// Adds the old value, then the new one.
void latch_add_part(lua_State *L, latch_vm *vm, latch_change *change, int index, latch_part part);
/// Adds the parts that the change has got since to the entry that was made last.
void latch_complete_change(latch_vm *vm, const latch_change *change);
/// Gives an empty node another kind, which decides the next keys; the patch contains this change.
void latch_give_kind(lua_State *L, latch_vm *vm, int node, int mark);
/// Appends the changes of writes without an entry to the patch. Never raises.
void latch_add_scalar_changes(latch_vm *vm);
/// Encodes the patch of the current transaction into vm->patch.
int latch_encode_patch(lua_State *L);
/// Encodes a value that is, or was, at (node, key). Raises if it cannot be encoded.
void latch_encode_at(lua_State *L, latch_encoder *encoder, int index, int node, int key);

// MARK: Writes (set_child.c, barrier.c, list_splices.c)

/// Removes the node at `index` from (node, key): it has no place from now on.
void latch_detach(lua_State *L, int index, int node, int key);
/// Puts the node at `index` at (node, key). One without a place moves there; one with another place
/// is an alias until the transaction ends.
void latch_set_child(lua_State *L, int index, int node, int key);
/// Records, in parents without a place that still hold the node at `index`, that it was removed:
/// such parents are no longer moved but copied, since their contents have other places.
void latch_take_from_parents(lua_State *L, int index);
bool latch_is_taken_from(lua_State *L, int index);
/// Gives the node at `index`, which has no place, the place (node, key).
void latch_move_node(lua_State *L, int index, int node, int key);
/// True if the table at `index` is a node that moves when it is put at (node, key).
bool latch_is_free(lua_State *L, int index, int node, int key);
/// True if the table at `index`, which node[key] holds, is a node with its place there.
bool latch_is_home(lua_State *L, int index, int node, int key);
/// Raises if the node at `index` would contain itself.
void latch_check_cycle(lua_State *L, int index, int node, int key);

// stored_nodes.c
/// Makes these functions read and write all nodes, now and later ones.
void latch_guard_state(lua_State *L, lua_CFunction read, lua_CFunction write);
/// Finds the places where functions could store tables of the state, once the flow has loaded.
void latch_find_places(lua_State *L);

/// The `__newindex` of nodes, which only Lua calls: (node, key, value).
int latch_node_write(lua_State *L);
/// Raises that the running function cannot change the state. The node is at 1, the key at 2.
int latch_refuse_state_write(lua_State *L, latch_vm *vm);
/// Raises unless the value at `index` can be in the state.
void latch_check_value(lua_State *L, int index, int node, int key);
int latch_mark_machine(lua_State *L);
/// Writes a machine's field. The stack must be empty.
void latch_move_machine(lua_State *L, latch_vm *vm, const latch_step *step);
/// The same, without allocating memory and without raising. False: nothing was done.
bool latch_try_move(lua_State *L, latch_vm *vm, const latch_step *step);

/// Inserts the value on top of the stack at `position` of the state list at `index`, pops it, and
/// logs one splice. Raises outside a reducer. `position` is 1 to length + 1, checked by the caller.
void latch_node_insert(lua_State *L, int index, lua_Integer position);

/// Removes the element at `position` of the state list at `index`, pushes it, and logs one splice.
/// `position` is 1 to length, checked by the caller.
void latch_node_remove(lua_State *L, int index, lua_Integer position);

/// Replaces the whole contents of the state list at `index` by the sequence in the plain table on
/// top of the stack (same length), pops it, and logs one change.
void latch_node_replace(lua_State *L, int index);

/// The bit of a name, a string of Lua, independent of its address, which differs in a cloned VM.
/// All long names have the same bit.
uint64_t latch_bit_of_name(const char *name, size_t length);

// MARK: Adoption (copy.c, quick_copy.c, promote.c)

/// The place of a copy: at `key` of `node` (0: it is the state itself), at `depth` from the root of
/// the state, which is 1; the value that it replaces, and the shape that it must have (0: none).
typedef struct {
  int node, key, depth, old, shape;
  lua_Integer entry;  ///< the entry of the undo log that has put the copied table there, or 0
} latch_copy_place;

/// The position of a quick copy: `parent` is the node that gets it, under the key at `key`.
typedef struct latch_copy_position {
  const struct latch_copy_position *up;
  const void *source;
  int parent, key, old, shape, depth;
} latch_copy_position;

/// Pushes the value at `key` of the node that is replaced (index 0: none); nil if it has none.
void latch_push_old_child(lua_State *L, int old, int key);
/// Pushes a new node at the position that holds a copy of the table at `value`, or the node there,
/// moved. False: there is an error in it, which latch_push_copy reports; the values on the stack
/// are useless.
bool latch_quick_copy(lua_State *L, int value, latch_copy_position *position);
/// The same for a plain table without tables that is a complete record of the type of the shape,
/// without defaults or conversions. False: it is not, and the stack is as it was.
bool latch_quick_record(lua_State *L, int value, int shape, const latch_copy_position *position);
/// Pushes a new node that holds a copy of the table at `value`, or the node there, moved.
void latch_push_copy(lua_State *L, int value, latch_copy_place place);

int latch_declare_state(lua_State *L);
/// Fills the holes of the patch with the present contents of their tables.
int latch_fill_holes(lua_State *L);

// MARK: The size of the state (state_size.c)

/// True if the size of the state is within its limit; otherwise the failure is recorded.
bool latch_state_fits(latch_vm *vm);
/// True if the changes in vm->patch may have made the state too large: then it has to be measured.
bool latch_state_may_be_full(latch_vm *vm);

// MARK: Rules (rules.c)

/// Pops the results of a rule's function, and returns the result of the rule.
latch_rule_result latch_take_rule_result(latch_vm *vm, lua_State *thread, int count);

// MARK: Readers (readers.c)

/// The parts of a reader in LATCH_R_READERS.
enum { LATCH_READER_FUNCTION = 1, LATCH_READER_VALUE, LATCH_READER_READS };

/// Makes the reader stale: something that it read has changed.
void latch_mark_reader(latch_vm *vm, lua_Integer reader);
/// Records that the reader begins to run: it is stale until it has ended.
void latch_reader_runs_now(latch_vm *vm, int32_t reader);
void latch_reader_has_run(latch_vm *vm, int32_t reader);
/// The same for a condition, with its result.
void latch_condition_has_run(latch_vm *vm, int32_t reader, bool holds);
/// Returns the last result of a condition that is not stale.
bool latch_condition_holds(const latch_vm *vm, int32_t reader);
/// Sets the flags of readers at the end of the current transaction: if it is rolled back, those
/// that it made stale are not stale.
void latch_decide_readers(latch_vm *vm, bool rolled_back);

// MARK: Conditions that read fields of the state alone (conditions.c)

/// Makes the conditions stale that read this field, which changes.
void latch_touch_field(latch_vm *vm, const char *name, size_t length);
/// The same for all fields that were written since the last call.
void latch_touch_fields(latch_vm *vm);

// MARK: What readers have read (reads.c)

/// Records that the running reader, if there is one, has read node[key].
void latch_remember(lua_State *L, int node, int key);
/// Drops the former reads of the running reader, if there is one, that it has not repeated.
void latch_forget_unread(lua_State *L);
/// False: no reader has read a place that the current transaction has changed. True: one may have.
bool latch_may_touch(const latch_vm *vm);
/// Makes all readers stale that have read places that the current transaction has changed.
void latch_touch_writes(lua_State *L);
/// Records that the writes so far have been handled.
void latch_note_told(latch_vm *vm);
/// The key under which a read of all that is in a node and below it is recorded.
#define LATCH_CONTENTS NULL
/// Makes the readers of the record at `node` stale, which is about to contain a table.
void latch_touch_leaf(lua_State *L, int node);
/// (name), from the prelude: the running reader depends on something outside of the state.
int latch_depend(lua_State *L);

// MARK: Reads of readers (recorder.c)

/// Pushes the state as the running reader sees it.
void latch_push_read_state(lua_State *L);
/// Records that the reader depends on the whole state, whose root is on top of the stack.
void latch_depend_on_all(lua_State *L);
/// The `__index` of nodes whose reads are recorded: (node, key).
int latch_recorded_read(lua_State *L);
/// Prepares the value on top of the stack, read from a table of the state, for the running reader.
void latch_push_seen(lua_State *L);
/// Pushes the data of a node whose reads are recorded, which counts as reading all of it; the trace
/// distinguishes reading only its length.
void latch_push_recorded_data(lua_State *L, int index, bool is_length);
/// Ends the recording: no reader runs.
void latch_stop_recording(latch_vm *vm);

// MARK: Views (views.c)

int latch_view_read(lua_State *L);

#endif
