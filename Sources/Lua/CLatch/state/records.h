/// Machines for records: their positions, records that are added and removed, and the records to
/// which an action applies.

#ifndef LATCH_RECORDS_H
#define LATCH_RECORDS_H

#include "run/run.h"

// MARK: Spots (positions.c)

/// The parts of a machine, a table.
enum {
  LATCH_MACHINE_NUMBER = 1,
  LATCH_MACHINE_IS_TOLD,  ///< the host wants to know of added and removed records
  LATCH_MACHINE_COUNTS,   ///< leaf + 1 -> number of records there; false until the first question
  LATCH_MACHINE_REGION_COUNT,
  LATCH_MACHINE_PATH,     ///< the names that lead to the records, false for any key
  LATCH_MACHINE_TEXTS,    ///< leaf + 1 -> the value of a field there
  LATCH_MACHINE_REGIONS,  ///< the parts of the first region; the others follow
};

/// The parts of a region.
enum {
  LATCH_REGION_FIELD,    ///< its name, or false
  LATCH_REGION_STOPS,    ///< the field's value -> leaf; also for states with states inside
  LATCH_REGION_DEFAULT,  ///< the leaf of the region if nothing else is specified
  LATCH_REGION_AROUND,   ///< the number of the enclosing region, -1 for the outermost
  LATCH_REGION_OWNER,    ///< the leaf of that region at which this one is active
  LATCH_REGION_WIDTH,
};

/// LATCH_R_RECORD_MACHINES has the outermost position under 1. Machines follow.
enum { LATCH_ROOT_POSITION = 1 };

/// The parts of a position, a table.
enum {
  LATCH_POSITION_NAMED = 1,  ///< name -> the position below
  LATCH_POSITION_ALL,        ///< the position below for any key
  LATCH_POSITION_MACHINES,   ///< the machines of the records here
  LATCH_POSITION_FIELDS,     ///< name -> true for the fields of these machines
};

/// A node's metatable has the node's position at this index, if there are others below it.
enum { LATCH_NODE_POSITION = 6 };

/// True if there are positions below a position.
bool latch_has_positions_below(lua_State *L, int position);
/// Pushes the position below another one, or nothing.
bool latch_push_position_below(lua_State *L, int position, int key);
/// Pushes the machines of the records at a position, or nothing.
bool latch_push_machines_at(lua_State *L, int position);
/// Pushes the position that a node is marked with, or nothing.
bool latch_push_mark(lua_State *L, int node);
bool latch_is_marked(lua_State *L, int node);
/// Marks the node with its position (0: none), if there are others below it.
void latch_mark_node(lua_State *L, int node, int position);
/// Restores a former mark of the node (0: none).
void latch_put_mark_back(lua_State *L, int node, int mark);
/// Pushes the machine of that number, or nothing.
bool latch_push_machine(lua_State *L, lua_Integer number);
/// Raises if the key at `key` is a machine's field of the record at `node`.
void latch_check_record_field(lua_State *L, int node, int key);

typedef void latch_position_visit(lua_State *L, int node, int position, void *context);
/// Visits all nodes at positions from that node on, which is at `position`, in the order of keys.
/// `machine`: only the nodes on the path to its records, beginning at the root; 0: all.
void latch_walk_positions(
  lua_State *L, int node, int position, int machine, latch_position_visit *visit, void *context);

// record_changes.c

/// Record that the node at `index` was removed from the one at `node`, or put there.
void latch_note_leaving(lua_State *L, int index, int node);
void latch_note_coming(lua_State *L, int index, int node);
/// Records that the node at `index` was created for the one at `node` from a table of a script.
void latch_note_fresh(lua_State *L, int index, int node);
/// Records that it was copied from a node.
void latch_note_copied(lua_State *L, int index);
/// Return the flags of a node in the current transaction.
bool latch_has_left(lua_State *L, int node);
bool latch_is_fresh(lua_State *L, int node);
bool latch_is_copied(lua_State *L, int node);
bool latch_is_given(lua_State *L, int node);
/// Records that the host writes to a field of the record at `node`: if it is a machine's, the
/// others are completed.
void latch_note_given(lua_State *L, int node, int key);
/// Drops the counts of records: they are counted again at the next question.
void latch_drop_counts(lua_State *L);
/// Pushes the node of that number, from 1 on, that may have been added or removed.
void latch_push_candidate(lua_State *L, uint32_t number);
void latch_forget_candidates(lua_State *L);

/// Records the mark that the node had.
void latch_note_record_change(lua_State *L, int node, int mark);
/// Adds `by` to the number of records at a leaf of the machine, if they are counted.
void latch_count_stop(lua_State *L, int machine, lua_Integer stop, int by);
/// Makes the readers stale that have asked for the numbers of the machine's records.
void latch_touch_machine(lua_State *L, lua_Integer number);
/// Undoes the changes of the current transaction to marks and counts. Clears the stack.
void latch_take_records_back(lua_State *L);
void latch_forget_record_changes(lua_State *L);

// record_places.c

typedef enum { LATCH_STANDS, LATCH_STANDS_NOWHERE, LATCH_MADE_NOW } latch_standing;

/// Pushes the keys that lead to the node from the root, the last one first; otherwise nothing. With
/// the table at `first_places` (0: none), pushes those that led there before: it maps a node to the
/// write of the log that has its first place.
latch_standing latch_push_way(lua_State *L, int node, int first_places, int *count);
/// Pushes the position to which so many keys from `keys` on lead, the last one first; or nothing.
bool latch_push_position_of(lua_State *L, int keys, int count);
/// Pushes the list of those keys, among all that lead to the record, that identify a record of the
/// machine.
void latch_push_record_keys(lua_State *L, int machine, int keys, int count);
/// The same for a node; nothing if it is not a record of that machine.
bool latch_push_keys_of_record(lua_State *L, int node, int machine);

// record_states.c

/// Sets the initial states of the machine of an added record, or those that the host has written.
/// `fresh`: the record is reported completely when the transaction ends.
void latch_begin_machine(lua_State *L, int machine, int record, bool fresh);
/// Completes the states of the record's machine, of which the host has written some.
void latch_complete_machine(lua_State *L, int machine, int record, bool fresh);

// creation_log.c

/// Processes the records that were added, removed or moved since the last call. Clears the stack.
void latch_settle_records(lua_State *L);
/// Starts the machine of that number for all existing records.
void latch_begin_records(lua_State *L, int root_position, int machine);

// record_counts.c

/// The number of records for which the field at `field` has the path at `path` or one inside it
/// (nil: any), and the number of all. The running reader depends on it.
lua_Integer latch_count_records(
  lua_State *L, lua_Integer number, int field, int path, lua_Integer *all);

// touched_records.c

/// Records that the machines of the record at that index may take eventless transitions.
void latch_touch_record(lua_State *L, int record);

// selection.c

/// Pushes the table of the selected records.
void latch_push_selected(lua_State *L);

/// Returns the leaf of a region of the machine, by the data of the record; LATCH_NO_STOP if it is
/// not active, LATCH_ODD_STOP if the field names no state.
int latch_stop_of_region(lua_State *L, int machine, int data, int region);
/// Makes the following functions get the selected record of that number, and its keys. False: it is
/// no longer in its place.
bool latch_focus(lua_State *L, int32_t machine, uint32_t record);
/// Writes the keys of the record in focus to vm->out, as a list. False: more has to be done.
bool latch_write_focused_keys(latch_vm *vm);
/// True if the arguments of functions for that record are ready, and it is still in its place.
bool latch_is_in_focus(const latch_vm *vm, int32_t machine, uint32_t record);
/// Returns the node of that record; NULL if it is not in focus.
const void *latch_record_in_focus(lua_State *L, latch_vm *vm, int32_t machine, uint32_t record);
/// True if the machine's records are counted by leaf.
bool latch_counts_records(lua_State *L, int32_t machine);
/// Records that a table of the state is added, removed or moved: records have to be looked up
/// again.
void latch_become_structural(latch_vm *vm);
void latch_push_record_of_step(lua_State *L, uint32_t record);

#endif
