/// The floor of the state: the tree of nodes, what may be written to it, the journal that takes
/// writes back, the patch that tells of them, and the readers that run again when something has
/// changed.
///
/// It may use runs.

#ifndef LATCH_STATE_H
#define LATCH_STATE_H

#include "run/run.h"

// MARK: Nodes (node.c)

// A node is an empty proxy; its metatable holds the data and the place.

/// Where a node's metatable has its recording node, once a reader has come by (recorder.c).
enum { LATCH_NODE_RECORDER = 4 };

/// Replaces the data table on top of the stack by a node for it.
void latch_push_new_node(lua_State *L);
/// Sets the node's place: the parent node and the key under which it stands there.
void latch_set_place(lua_State *L, int node, int parent, int key);
/// Pushes parent and key of the node at `index`, or nothing. The key is looked for if it moved.
bool latch_push_place(lua_State *L, int index);
/// Pushes "state.rows[1].note" for a key of a node.
const char *latch_push_path(lua_State *L, int node, int key);
/// Appends ".name", "[1]" or "[\"other name\"]" to the path on top of the stack.
void latch_append_step(lua_State *L, int key);
/// Raises "PATH: what", with the script's line.
int latch_path_error(lua_State *L, int node, int key, const char *what);
/// True for text that can stand behind a dot.
bool latch_is_name(const char *text);

// MARK: Closed records (shapes.c)

/// How a closed record's field may be used.
enum { LATCH_FIELD_ALWAYS = 1, LATCH_FIELD_OPTIONAL = 2, LATCH_FIELD_MACHINE = 4 };

/// Pushes the shape of the declared record at `source`, whose path is on top of the stack (popped).
void latch_push_new_shape(lua_State *L, int source);
/// Pushes the shape that records take at `key` of this data; false (nothing pushed): none is
/// closed.
bool latch_push_shape(lua_State *L, int data, int key);
/// True when the closed record with this data declares a record at `key`.
bool latch_has_shape(lua_State *L, int data, int key);
/// Raises that the record has no field of that name. At `fields` stand those that it has, at `path`
/// its own.
void latch_refuse_undeclared(lua_State *L, int fields, int path, int key);
/// Whether the state has a field of the name at `name`, machines included.
bool latch_is_field(lua_State *L, int name);

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

// MARK: The journal (journal.c): node, key, old value, operation

typedef enum {
  LATCH_J_SET,
  LATCH_J_INSERT,
  LATCH_J_REMOVE,
  LATCH_J_REPLACE,
  LATCH_J_KIND,
  LATCH_J_PLACE,
} latch_operation;
/// latch_journal is what else adds one.
void latch_append_entry(lua_State *L, int node, int key, int old, latch_operation operation);
void latch_push_entry(lua_State *L, lua_Integer entry);
/// Undoes a done entry, or does an undone one again: the journal keeps the other side's value.
void latch_swap_entry(lua_State *L, lua_Integer entry, bool undo);
void latch_clear_journal(lua_State *L);

// MARK: Scalars over scalars (scalar_writes.c)

/// (node, key, value): writes a scalar over a scalar, aside from the journal.
/// False: nothing was done, and the write has to go through it; the stack is as it was.
bool latch_write_scalar(lua_State *L, latch_vm *vm);
/// The same for a machine's field, whose change is encoded already, with an empty stack. Never
/// raises.
bool latch_write_move(lua_State *L, latch_vm *vm, const uint8_t *change, const latch_step *step);
/// Moves what was written so into the journal, as its first entries.
void latch_finish_scalars(lua_State *L, latch_vm *vm);
/// Gives those fields their old values back.
void latch_restore_scalars(lua_State *L, latch_vm *vm);
/// Pushes the node, the key and the old value of one of them.
void latch_push_written(lua_State *L, const latch_vm *vm, int index);
/// Pushes the node and the key.
void latch_push_written_place(lua_State *L, const latch_vm *vm, int index);
/// Adds an entry to the journal, behind what was written aside from it so far.
void latch_journal(lua_State *L, int node, int key, int old, latch_operation operation);

// MARK: Writes (attach.c, barrier.c, splices.c)

/// The node at `index` leaves (node, key): it stands nowhere from now on.
void latch_detach(lua_State *L, int index, int node, int key);
/// The node at `index` is put at (node, key). One that stands nowhere moves there; one that stands
/// elsewhere is an alias until the transition ends.
void latch_attach(lua_State *L, int index, int node, int key);
/// Raises where the node at `index` would come to stand inside itself.
void latch_check_cycle(lua_State *L, int index, int node, int key);

/// The `__newindex` of nodes, which Lua alone calls: (node, key, value).
int latch_node_write(lua_State *L);
/// Raises that who runs cannot change the state. The node stands at 1, the key at 2.
int latch_refuse_state_write(lua_State *L, latch_vm *vm);
/// Raises unless the value at `index` can stand in the state.
void latch_check_value(lua_State *L, int index, int node, int key);
int latch_mark_machine(lua_State *L);
/// Writes a machine's field. The stack is empty before.
void latch_move_machine(lua_State *L, latch_vm *vm, const latch_step *step, const uint8_t *changes);

/// Inserts the value on top of the stack at `position` of the state list at `index`, pops it, and
/// logs one splice. Raises outside a reducer. `position` is 1 to length + 1, checked by the caller.
void latch_node_insert(lua_State *L, int index, lua_Integer position);

/// Removes the element at `position` of the state list at `index`, pushes it, and logs one splice.
/// `position` is 1 to length, checked by the caller.
void latch_node_remove(lua_State *L, int index, lua_Integer position);

/// Replaces the whole contents of the state list at `index` by the sequence in the plain table on
/// top of the stack (same length), pops it, and logs one change.
void latch_node_replace(lua_State *L, int index);

// MARK: Adoption (copy.c, adopt.c)

/// Where a copy is put: at `key` of `node` (0: it is the state itself), `depth` deep from the root
/// of the state, which is 1; what it replaces, and the shape that it has to take (0: none).
typedef struct {
  int node, key, depth, old, shape;
} latch_copy_place;

/// Pushes a new node that holds a copy of the table at `value`.
void latch_push_copy(lua_State *L, int value, latch_copy_place place);

int latch_declare_state(lua_State *L);

// MARK: The patch (patch.c)

/// Encodes the patch of the transition under way into vm->patch.
int latch_encode_patch(lua_State *L);

// MARK: The size of the state (state_size.c)

/// True if the state fits its limit; otherwise the failure is recorded.
bool latch_state_fits(latch_vm *vm);
/// True once the changes in vm->patch may have made the state too large: it has to be measured.
bool latch_state_may_be_full(latch_vm *vm);

// MARK: Rules (rules.c)

/// What the results of a rule say; they are popped.
latch_rule_result latch_take_rule_result(latch_vm *vm, lua_State *thread, int count);

// MARK: Readers (readers.c)

/// Where the parts of a reader stand in LATCH_R_READERS.
enum { LATCH_READER_FUNCTION = 1, LATCH_READER_VALUE, LATCH_READER_READS };

/// The reader is stale: something that it read has changed.
void latch_mark_reader(latch_vm *vm, lua_Integer reader);
/// It begins to run: it is stale until it has run to its end.
void latch_reader_runs_now(latch_vm *vm, int32_t reader);
void latch_reader_has_run(latch_vm *vm, int32_t reader);
/// The transition under way has ended: what it made stale is stale, or was never.
void latch_decide_readers(latch_vm *vm, bool rolled_back);

// MARK: What readers have read (reads.c)

/// The reader that runs, if one does, has read node[key].
void latch_remember(lua_State *L, int node, int key);
/// Forgets what the reader that runs, if one does, had read before and has not read again.
void latch_forget_unread(lua_State *L);
/// False: no reader has read what the transition under way has changed. True: one may have.
bool latch_may_touch(const latch_vm *vm);
/// Makes every reader stale that read what the transition under way has changed.
void latch_touch_writes(lua_State *L);
/// (name), from the prelude: what runs now depends on something outside the state.
int latch_depend(lua_State *L);

// MARK: Recording nodes (recorder.c)

/// Pushes the recording node of a node: always the same one, so that == works.
void latch_push_recorder(lua_State *L, int node);
int latch_recorder_write(lua_State *L);
/// Pushes the data behind a recording node, which counts as reading it whole.
void latch_push_recorded_data(lua_State *L, int index);

// MARK: Views (views.c)

int latch_view_read(lua_State *L);

#endif
