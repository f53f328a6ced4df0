/// Machines for records: where those stand, which come and go, and which an action is about.

#ifndef LATCH_RECORDS_H
#define LATCH_RECORDS_H

#include "run/run.h"

// MARK: Spots (positions.c)

/// The parts of a machine, as C has it: a table.
enum {
  LATCH_MACHINE_NUMBER = 1,
  LATCH_MACHINE_IS_TOLD,  ///< the host wants to know of records that come and go
  LATCH_MACHINE_COUNTS,   ///< stop + 1 -> how many are there; false until it was asked
  LATCH_MACHINE_REGION_COUNT,
  LATCH_MACHINE_PATH,     ///< the names that lead to the records, false for any key
  LATCH_MACHINE_TEXTS,    ///< stop + 1 -> what a field says there
  LATCH_MACHINE_REGIONS,  ///< the parts of the first region, and so on
};

/// The parts of a region.
enum {
  LATCH_REGION_FIELD,    ///< its name, or false
  LATCH_REGION_STOPS,    ///< what the field says -> stop; also where a state has states inside
  LATCH_REGION_DEFAULT,  ///< the stop at which it is where nothing else is said
  LATCH_REGION_AROUND,   ///< the number of the region around, -1 for the outermost
  LATCH_REGION_OWNER,    ///< the stop of that at which this one is active
  LATCH_REGION_WIDTH,
};

/// LATCH_R_RECORD_MACHINES has the outermost position under 1. Machines follow.
enum { LATCH_ROOT_POSITION = 1 };

/// The parts of a position: a table.
enum {
  LATCH_POSITION_NAMED = 1,  ///< name -> the spot below
  LATCH_POSITION_ALL,        ///< the one below, whatever the key
  LATCH_POSITION_MACHINES,   ///< the machines of the records here
  LATCH_POSITION_FIELDS,     ///< name -> true for the fields that belong to them
};

/// A node's metatable has its position at this index, if there are others below.
enum { LATCH_NODE_POSITION = 6 };

/// True if a position has one below.
bool latch_has_positions_below(lua_State *L, int position);
/// Pushes the position below another one, or nothing.
bool latch_push_position_below(lua_State *L, int position, int key);
/// Pushes the machines of the records at a position, or nothing.
bool latch_push_machines_at(lua_State *L, int position);
/// Pushes the position that a node is marked with, or nothing.
bool latch_push_mark(lua_State *L, int node);
bool latch_is_marked(lua_State *L, int node);
/// Marks the node with its position (0: none), if there are others below that.
void latch_mark_node(lua_State *L, int node, int position);
/// The same for a mark that it had (0: none).
void latch_put_mark_back(lua_State *L, int node, int mark);
/// Pushes the machine of that number, or nothing.
bool latch_push_machine(lua_State *L, lua_Integer number);
/// Raises where the key at `key` is a machine's field of the record at `node`.
void latch_check_record_field(lua_State *L, int node, int key);

typedef void latch_position_visit(lua_State *L, int node, int position, void *context);
/// Visits all nodes at positions from that node on, which is at `position`, in the order of keys.
/// `machine`: only the root and what leads to its records, from the root on; 0: all.
void latch_walk_positions(
  lua_State *L, int node, int position, int machine, latch_position_visit *visit, void *context);

// record_changes.c

/// The node at `index` leaves the one at `node`, or comes there.
void latch_note_leaving(lua_State *L, int index, int node);
void latch_note_coming(lua_State *L, int index, int node);
/// The node at `index` was made for the one at `node` from a table of a script's.
void latch_note_fresh(lua_State *L, int index, int node);
/// It was copied from a node.
void latch_note_copied(lua_State *L, int index);
/// Return the notes on a node in the transition under way.
bool latch_has_left(lua_State *L, int node);
bool latch_is_fresh(lua_State *L, int node);
bool latch_is_copied(lua_State *L, int node);
bool latch_is_given(lua_State *L, int node);
/// The host writes to a field of the record at `node`: if it is a machine's, the rest follows.
void latch_note_given(lua_State *L, int node, int key);
/// Forgets how many records stand where: it is counted again when somebody asks.
void latch_drop_counts(lua_State *L);
/// Pushes the node of that number, from 1 on, that may have come or gone.
void latch_push_candidate(lua_State *L, uint32_t number);
void latch_forget_candidates(lua_State *L);

/// Notes the mark that the node had.
void latch_note_record_change(lua_State *L, int node, int mark);
/// Counts so many records more at a leaf of the machine, if they are counted.
void latch_count_stop(lua_State *L, int machine, lua_Integer stop, int by);
/// Makes stale what has asked how many records of the machine stand where.
void latch_touch_machine(lua_State *L, lua_Integer number);
/// Takes back what the transition under way has changed in marks and counts. Clears the stack.
void latch_take_records_back(lua_State *L);
void latch_forget_record_changes(lua_State *L);

// record_places.c

typedef enum { LATCH_STANDS, LATCH_STANDS_NOWHERE, LATCH_MADE_NOW } latch_standing;

/// Pushes the keys that lead to the node from the root, the last one first; else nothing. With the
/// table at `first_places` (0: none) those that led there before: node -> the write of the log that
/// tells where it stood first.
latch_standing latch_push_way(lua_State *L, int node, int first_places, int *count);
/// Pushes the position to which so many keys lead that stand from `keys` on, the last one first; or
/// nothing.
bool latch_push_position_of(lua_State *L, int keys, int count);
/// Pushes the list of the keys that tell the machine's record from others, of all that lead to it.
void latch_push_record_keys(lua_State *L, int machine, int keys, int count);
/// The same of a node; nothing where it is no record of that machine.
bool latch_push_keys_of_record(lua_State *L, int node, int machine);

// record_states.c

/// The machine of a record that has come begins; where the host has said how, so. `fresh`: the
/// record is told of whole when the transition ends.
void latch_begin_machine(lua_State *L, int machine, int record, bool fresh);
/// The host has said where the machine of the record stands, or a part of that.
void latch_complete_machine(lua_State *L, int machine, int record, bool fresh);

// creation_log.c

/// Finds out what records have come, gone and moved since this was asked last. Clears the stack.
void latch_settle_records(lua_State *L);
/// The records that there are begin to have the machine of that number.
void latch_begin_records(lua_State *L, int root_position, int machine);

// record_counts.c

/// How many records stand where the field at `field` says the path at `path` or one inside it (nil:
/// anything), of how many. What runs depends on that.
lua_Integer latch_count_records(
  lua_State *L, lua_Integer number, int field, int path, lua_Integer *all);

// touched_records.c

/// The machines of the record at that index may have to go on.
void latch_touch_record(lua_State *L, int record);

// selection.c

/// Pushes the table of the records that were selected.
void latch_push_selected(lua_State *L);

/// Returns the leaf of a region of the machine, by the data of the record; LATCH_NO_STOP if it is
/// not active, LATCH_ODD_STOP if the field names no state.
int latch_stop_of_region(lua_State *L, int machine, int data, int region);
/// Has the functions that follow get the selected record of that number, and its keys. False: it
/// does not stand any more.
bool latch_focus(lua_State *L, int32_t machine, uint32_t record);
/// Writes the keys of the record in focus to vm->out, as a list. False: it takes more than that.
bool latch_write_focused_keys(latch_vm *vm);
/// True if the arguments of functions for that record are ready, and it is still in its place.
bool latch_is_in_focus(const latch_vm *vm, int32_t machine, uint32_t record);
/// Returns that record's node; NULL if it is not in focus.
const void *latch_record_in_focus(lua_State *L, latch_vm *vm, int32_t machine, uint32_t record);
/// True if the leaves of the machine's records are counted.
bool latch_counts_records(lua_State *L, int32_t machine);
/// A table of the state comes, goes or moves: where a record stands has to be looked up again.
void latch_become_structural(latch_vm *vm);
void latch_push_record_of_step(lua_State *L, uint32_t record);

#endif
