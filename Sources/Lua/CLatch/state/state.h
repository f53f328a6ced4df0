/// The floor of the state: the tree of nodes, what may be written to it, the undo log that takes
/// writes back, the patch that tells of them, and the readers that run again when something has
/// changed.
///
/// It may use runs.

#ifndef LATCH_STATE_H
#define LATCH_STATE_H

#include "run/run.h"
#include "state/records.h"
#include "state/scalars.h"
#include "state/trace.h"
#include "state/types.h"

// MARK: Nodes (node.c)

// A node is an empty proxy; its metatable holds the data and the place.

/// The slot of a node's metatable for its recording node, once a reader has come by (recorder.c).
enum { LATCH_NODE_RECORDER = 4, LATCH_NODE_TAKEN_FROM = 5 };

/// Pushes a new node for the data table at that index, at its place: under the key at `key` of the
/// node at `parent`, 0 for nowhere. All indices are absolute. `has_length`: what it holds may be
/// counted.
void latch_push_new_node(lua_State *L, int data, int parent, int key, bool has_length);
/// Gives the node at that index the length operator.
void latch_give_length(lua_State *L, int node);
/// Sets the node's place: the parent node and the key under which it stands there.
void latch_set_place(lua_State *L, int node, int parent, int key);
/// Pushes parent and key of the node at `index`, or nothing. The key is looked for if it moved.
bool latch_push_place(lua_State *L, int index);
/// How far below the root the node stands, which is 1, by what nodes say of their places; 0: it is
/// not in the state. More than LATCH_DEEPEST_NESTING: it is too deep to say.
int latch_depth_of(const latch_vm *vm, const void *node);
/// Pushes "state.rows[1].note" for a key of a node.
const char *latch_push_path(lua_State *L, int node, int key);
/// Pushes the path of the node with that data, which is looked for from the root on and charged
/// for; "this record" for one that is not in the state.
void latch_push_path_of_data(lua_State *L, const void *data);
/// Appends ".name", "[1]" or "[\"other name\"]" to the path on top of the stack.
void latch_append_step(lua_State *L, int key);
/// Raises "PATH: what", with the script's line.
int latch_path_error(lua_State *L, int node, int key, const char *what);
/// True for text that can stand behind a dot.
bool latch_is_name(const char *text);

// MARK: Closed records (shapes.c)

/// Pushes the shape of the declared record at `source`, whose path is on top of the stack (popped).
/// `type`: the number of its type, 0 where none of it has one.
void latch_push_new_shape(lua_State *L, int source, uint32_t type);
/// Pushes the shape that tables of that type take.
void latch_push_typed_shape(lua_State *L, uint32_t type);
/// Pushes the shape that tables take at `key` of this data; false (nothing pushed): any will do.
bool latch_push_shape(lua_State *L, int data, int key);
/// The same for data that has the shape at `shape`.
bool latch_push_child_shape(lua_State *L, int shape, int key);
/// The number of the type of what stands at `key` of data with the shape at `shape`.
uint32_t latch_type_in_shape(lua_State *L, int shape, int key);
/// True if a table with that metatable (NULL: none), the data of a node, may be put at `key` of
/// this data unchanged.
bool latch_takes_shape(lua_State *L, int data, int key, const void *metatable);
/// True if the state has a field of the name at `name`, machines included.
bool latch_is_field(lua_State *L, int name);

// MARK: Types (typed.c)

/// Makes the value at `value`, of any kind but a table, what the type of `key` of this data makes
/// of it. Raises where it does not fit, or a table may not stand there at all.
void latch_fit_value(lua_State *L, int node, int key, int value, int data);
/// True if the value at `value` fits that type. Replaces it by the value that the type converts it
/// to.
bool latch_takes_value(lua_State *L, uint32_t type, int value);
/// The same of a key that comes.
void latch_fit_key(lua_State *L, int node, int key, int data);
/// Pushes what the type must be and what was found at `value`, as the end of a sentence.
void latch_push_misfit(lua_State *L, uint32_t type, int value);
/// The number of the type that the shape at `shape` has, and the type; 0 and NULL for none.
uint32_t latch_number_of_shape(lua_State *L, int shape);
const latch_type *latch_type_of_shape(lua_State *L, int shape);
/// True if the data's length fits the type; otherwise `*length` is the length it has.
bool latch_has_length(lua_State *L, const latch_type *type, int data, uint64_t *length);
/// Remembers where the script puts a table, which the next entry of the undo log does.
void latch_note_put(lua_State *L);
/// Pushes where that entry was made; nothing is known: an empty text.
void latch_push_put(lua_State *L, lua_Integer entry);
/// Notes that the node gets longer or shorter: its length is checked when the function ends.
void latch_note_growth(lua_State *L, int node, int data);
/// Has what a function that has ended put into the state become a part of it, and checks lengths.
void latch_end_function(lua_State *L);
/// Makes nodes of what was put into the state since the last time.
int latch_adopt_writes(lua_State *L);
/// Raises where a table has another length than its type allows.
void latch_check_grown(lua_State *L);
void latch_forget_puts(lua_State *L);
/// Pushes what the type begins with; false: nothing was pushed, somebody has to say it.
bool latch_push_beginning(lua_State *L, uint32_t type);

// MARK: Elements of lists (elements.c)

/// Shift the elements of a raw list; the value is on top of the stack. Neither charges.
void latch_raw_insert(lua_State *L, int data, lua_Integer position);
void latch_raw_remove(lua_State *L, int data, lua_Integer position);
/// True when the node on top of the stack is at home in the list `node`, at `key` if that is not 0.
bool latch_is_at_home(lua_State *L, int node, lua_Integer key);
/// Tells the elements of the list `node` where they stand now, after all of them have moved.
void latch_place_elements(lua_State *L, int node, int data);
/// Keeps the places of elements exact while an element comes (`by` 1) or goes (-1). Call it before.
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

/// The cell of a table under that key; NULL where it has none, or Lua has to be asked.
static inline latch_cell *latch_cell_at(const void *table, const latch_cell *key) {
  if (key->type == LATCH_CELL_SHORT_TEXT) return latch_field_cell(table, key->object);
  return key->type == LATCH_CELL_INTEGER ? latch_element_cell(table, key->integer) : NULL;
}

/// The node that a table of the state has under that key; NULL where it has none there. Never
/// raises.
const void *latch_node_at(lua_State *L, const void *data, const latch_cell *key);

#define LATCH_NOT_WRITTEN UINT32_MAX
/// The number of a node that was written to, or stands above one, since paths were forgotten last;
/// LATCH_NOT_WRITTEN for any other.
uint32_t latch_find_written_node(const latch_log *log, const void *node);
/// The number of a node among those that were written to, or stand above one. `depth` is how many
/// below it were asked for on the way.
uint32_t latch_written_node_at(lua_State *L, latch_vm *vm, const void *node, int depth);
/// True if a node can be given a number without taking memory or asking Lua.
bool latch_has_room_for_node(const latch_vm *vm, const void *node);
/// Keeps the value at `index` until the transition ends, and gives its number.
uint32_t latch_anchor(lua_State *L, int index);
void latch_push_anchored(lua_State *L, uint32_t anchor);

/// Notes a write in which no table comes or goes.
void latch_log_scalar(lua_State *L, latch_vm *vm, const void *node, latch_scalar key,
  latch_scalar old, latch_scalar new);
/// The same for a field that goes from one state of a machine to another. Never raises; false: it
/// would take memory.
bool latch_log_move(
  latch_vm *vm, const void *node, latch_scalar key, latch_scalar old, latch_scalar new);
/// Notes where the node stands, before it leaves its place.
void latch_log_place(lua_State *L, latch_vm *vm, const void *node);
/// Notes that the undo log has that entry. latch_undo_log is what does.
void latch_log_entry(lua_State *L, latch_vm *vm, uint32_t entry, latch_piece piece);
/// Tables have moved: paths are worked out anew from here on.
void latch_forget_paths(latch_vm *vm);

/// No hole comes from here on, and some are to be found by their tables.
void latch_index_holes(lua_State *L, latch_vm *vm);
/// The table of a script at that address, which that entry of the undo log has put somewhere, has
/// become the node on top of the stack there.
void latch_note_promoted(lua_State *L, const void *table, uint32_t entry);

void latch_log_begin(latch_vm *vm);
/// Lets go of what the log has kept, unless that is so little that it may stay.
void latch_log_end(lua_State *L, latch_vm *vm);
bool latch_log_may_stay(const latch_vm *vm);
void latch_log_shrink(latch_vm *vm);
void latch_log_free(latch_vm *vm);
/// Takes all back that was written, last first.
void latch_take_back(lua_State *L, latch_vm *vm);
/// Pushes the key under which a node stood that has left its place.
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
/// Pushes node, key, old value (nil where there was none), operation and the table that was put
/// there (or false) of an entry (1, 2, ...).
void latch_push_entry(lua_State *L, lua_Integer entry);
/// Pushes the first two of them.
void latch_push_place_of_entry(lua_State *L, lua_Integer entry);
/// Takes an entry back. Clears the stack.
void latch_undo_entry(lua_State *L, lua_Integer entry);
void latch_clear_undo_log(lua_State *L);

// MARK: The patch (changes.c, patch.c)

/// The parts of a change that are worked out while it is made.
typedef struct {
  latch_piece piece;
  int node, key;
  int depth;
  bool is_in_state;  ///< else the patch says nothing of it
} latch_change;

/// The way a change holds what comes, goes or stays in a place.
typedef enum {
  LATCH_PART_VALUE,  ///< the value as it is now; tables of scripts in it leave holes
  LATCH_PART_HOLE,   ///< a hole: the table becomes what it will be when the transition ends
} latch_part;

/// Nothing, for what the patch does not tell of.
#define LATCH_NO_PIECE ((latch_piece){0, 0})

/// Begins a change of node[key], or of the node itself (`key` 0).
latch_change latch_begin_change(
  lua_State *L, latch_vm *vm, latch_operation operation, int node, int key);
/// Adds the old value, then the new one.
void latch_add_part(lua_State *L, latch_vm *vm, latch_change *change, int index, latch_part part);
/// Adds to the entry that was made last what was added to its change since.
void latch_complete_change(latch_vm *vm, const latch_change *change);
/// Has an empty node be of another kind, which the patch tells: it says what may be put there next.
void latch_give_kind(lua_State *L, latch_vm *vm, int node, int mark);
/// Appends the changes of writes without an entry to the patch. Never raises.
void latch_add_scalar_changes(latch_vm *vm);
/// Encodes the patch of the transition under way into vm->patch.
int latch_encode_patch(lua_State *L);
/// Encodes a value that stands at (node, key), or stood there; raises where it cannot be.
void latch_encode_at(lua_State *L, latch_encoder *encoder, int index, int node, int key);

// MARK: Writes (set_child.c, barrier.c, list_splices.c)

/// The node at `index` leaves (node, key): it stands nowhere from now on.
void latch_detach(lua_State *L, int index, int node, int key);
/// The node at `index` is put at (node, key). One that stands nowhere moves there; one that stands
/// elsewhere is an alias until the transition ends.
void latch_set_child(lua_State *L, int index, int node, int key);
/// The node at `index` leaves parents that stand nowhere but hold it still: they do not move any
/// more, but are copied, for what they hold stands elsewhere.
void latch_take_from_parents(lua_State *L, int index);
bool latch_is_taken_from(lua_State *L, int index);
/// The node at `index`, which stands nowhere, stands at (node, key) from now on.
void latch_move_node(lua_State *L, int index, int node, int key);
/// True if the table at `index` is a node that moves where it is put at (node, key).
bool latch_is_free(lua_State *L, int index, int node, int key);
/// True if the table at `index`, which node[key] holds, is a node that is at home there.
bool latch_is_home(lua_State *L, int index, int node, int key);
/// Raises where the node at `index` would come to stand inside itself.
void latch_check_cycle(lua_State *L, int index, int node, int key);

// stored_nodes.c
/// Has all nodes, and those that are made from now on, read and written by these functions.
void latch_guard_state(lua_State *L, lua_CFunction read, lua_CFunction write);
/// Remembers where functions could store tables of the state, once the flow has loaded.
void latch_find_places(lua_State *L);

/// The `__newindex` of nodes, which Lua alone calls: (node, key, value).
int latch_node_write(lua_State *L);
/// Raises that who runs cannot change the state. The node stands at 1, the key at 2.
int latch_refuse_state_write(lua_State *L, latch_vm *vm);
/// Raises unless the value at `index` can stand in the state.
void latch_check_value(lua_State *L, int index, int node, int key);
int latch_mark_machine(lua_State *L);
/// Writes a machine's field. The stack is empty before.
void latch_move_machine(lua_State *L, latch_vm *vm, const latch_step *step);
/// The same where it takes no memory, and raises nothing. False: nothing was done.
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

/// The bit of a name, a string of Lua's, wherever that lies: a cast VM has it elsewhere. All long
/// ones have the same.
uint64_t latch_bit_of_name(const char *name, size_t length);

// MARK: Adoption (copy.c, quick_copy.c, promote.c)

/// The place of a copy: at `key` of `node` (0: it is the state itself), `depth` deep from the root
/// of the state, which is 1; the value it replaces, and the shape it must take (0: none).
typedef struct {
  int node, key, depth, old, shape;
  lua_Integer entry;  ///< the undo log's, which has put there what is copied, or 0
} latch_copy_place;

/// The place of a quick copy: `parent` is the node that gets it, under the key at `key`.
typedef struct latch_copy_position {
  const struct latch_copy_position *up;
  const void *source;
  int parent, key, old, shape, depth;
} latch_copy_position;

/// Pushes what stands at `key` of the node that is replaced (index 0: of none); nil for nothing.
void latch_push_old_child(lua_State *L, int old, int key);
/// Pushes a new node at the position that holds a copy of the table at `value`, or the node there,
/// moved. False: there is a fault in it, which latch_push_copy tells; what is on the stack is of no
/// use.
bool latch_quick_copy(lua_State *L, int value, latch_copy_position *position);
/// The same of a plain table without tables that is a whole record of the type of the shape, in
/// which nothing is to be completed or takes the place of anything. False: it is none, and the
/// stack is as it was.
bool latch_quick_record(lua_State *L, int value, int shape, const latch_copy_position *position);
/// Pushes a new node that holds a copy of the table at `value`, or the node there, moved.
void latch_push_copy(lua_State *L, int value, latch_copy_place place);

int latch_declare_state(lua_State *L);
/// Fills the holes of the patch with what tables have become so far.
int latch_fill_holes(lua_State *L);

// MARK: The size of the state (state_size.c)

/// True if the state fits its limit; otherwise the failure is recorded.
bool latch_state_fits(latch_vm *vm);
/// True once the changes in vm->patch may have made the state too large: it has to be measured.
bool latch_state_may_be_full(latch_vm *vm);

// MARK: Rules (rules.c)

/// Returns the result of a rule, from the values that it returned, and pops them.
latch_rule_result latch_take_rule_result(latch_vm *vm, lua_State *thread, int count);

// MARK: Readers (readers.c)

/// The parts of a reader in LATCH_R_READERS.
enum { LATCH_READER_FUNCTION = 1, LATCH_READER_VALUE, LATCH_READER_READS };

/// The reader is stale: something that it read has changed.
void latch_mark_reader(latch_vm *vm, lua_Integer reader);
/// It begins to run: it is stale until it has run to its end.
void latch_reader_runs_now(latch_vm *vm, int32_t reader);
void latch_reader_has_run(latch_vm *vm, int32_t reader);
/// The same of a condition, with what it said.
void latch_condition_has_run(latch_vm *vm, int32_t reader, bool holds);
/// Returns the last result of a condition that is not stale.
bool latch_condition_holds(const latch_vm *vm, int32_t reader);
/// The transition under way has ended: what it made stale is stale, or was never.
void latch_decide_readers(latch_vm *vm, bool rolled_back);

// MARK: Conditions that read fields of the state alone (conditions.c)

/// Makes those stale that read this field, which changes.
void latch_touch_field(latch_vm *vm, const char *name, size_t length);
/// The same for all fields that were written to since readers were last told.
void latch_touch_fields(latch_vm *vm);

// MARK: What readers have read (reads.c)

/// The reader that runs, if one does, has read node[key].
void latch_remember(lua_State *L, int node, int key);
/// Forgets what the reader that runs, if one does, had read before and has not read again.
void latch_forget_unread(lua_State *L);
/// False: no reader has read what the transition under way has changed. True: one may have.
bool latch_may_touch(const latch_vm *vm);
/// Makes every reader stale that read what the transition under way has changed.
void latch_touch_writes(lua_State *L);
/// Readers know of all that it has written so far.
void latch_note_told(latch_vm *vm);
/// The reader that runs, if one does, walks through the table of the node.
void latch_remember_walk(lua_State *L, latch_vm *vm, int node);
/// Makes stale who has read the record at `node`, which is about to hold more than a leaf does.
void latch_touch_leaf(lua_State *L, int node);
/// (name), from the prelude: what runs now depends on something outside the state.
int latch_depend(lua_State *L);

// MARK: Recording nodes (recorder.c)

/// Pushes the recording node of a node: always the same one, so that == works.
void latch_push_recorder(lua_State *L, int node);
int latch_recorder_write(lua_State *L);
/// Makes what a table of the state holds, on top of the stack, what a reader may have of it.
void latch_push_seen(lua_State *L);
/// Pushes the data behind a recording node, which counts as reading it whole; a trace tells if only
/// its length is.
void latch_push_recorded_data(lua_State *L, int index, bool is_length);

// MARK: Views (views.c)

int latch_view_read(lua_State *L);

#endif
