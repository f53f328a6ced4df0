/// Flows: what they declare, the state, what acts on it and what reads it.

#ifndef CLATCH_FLOW_H
#define CLATCH_FLOW_H

#include "clatch_vm.h"

// MARK: The flow language

/// Gives scripts what a flow can call wherever it runs.
latch_status latch_open_flow_library(latch_vm *vm);

/// Gives scripts that have this library what a flow declares with that was checked in another VM.
latch_status latch_open_declarators(latch_vm *vm);

/// The state has a field that a machine writes, with that value at the beginning; no bytes: with
/// none. Before latch_finish_loading.
latch_status latch_declare_region(latch_vm *vm, latch_bytes field, latch_bytes value);

// MARK: Types of the state

typedef enum {
  LATCH_TYPE_ANY,
  LATCH_TYPE_BOOLEAN,
  LATCH_TYPE_INTEGER,
  LATCH_TYPE_NUMBER,
  LATCH_TYPE_STRING,
  LATCH_TYPE_ONE_OF,
  LATCH_TYPE_LIST,  ///< from here on: types of tables
  LATCH_TYPE_MAP,
  LATCH_TYPE_RECORD,
} latch_type_kind;

typedef struct {
  latch_bytes name;
  uint32_t type;     ///< its number, 0 for any value
  bool may_be_nil;   ///< it needs no value
  bool is_machines;  ///< a machine of the record's writes it
} latch_field_spec;

/// A type, as the host declares it. Values are encoded; no bytes mean none. All of it is copied.
typedef struct {
  latch_type_kind kind;
  bool is_place;   ///< a record that only one place has: what is in it may be of no type
  bool is_secret;  ///< its values are never shown
  latch_bytes min, max;
  uint32_t min_length, max_length;
  uint32_t element, key;
  latch_bytes pattern;
  const latch_bytes *choices;
  size_t choice_count;
  const latch_field_spec *fields;
  size_t field_count;
  latch_bytes begins;  ///< with what a field of that type begins that is not given
} latch_type_spec;

/// Types by number; 0 is that of any value. NULL where there is no memory.
latch_types *latch_types_new(size_t count);
void latch_types_free(latch_types *types);
/// False: there is no memory, or a value is not encoded.
bool latch_types_set(latch_types *types, uint32_t number, const latch_type_spec *spec);
/// The state is of the record type of that number. They have to live as long as the VM. Before
/// latch_finish_loading.
void latch_set_types(latch_vm *vm, const latch_types *types, uint32_t root);

/// The flow's file has run: its state comes to life, and what scripts can reach becomes read-only.
latch_status latch_finish_loading(latch_vm *vm, latch_run run);

// MARK: Instances of scopes

/// Keeps what scripts hold as the instance with that number.
latch_status latch_scope_instance(latch_vm *vm, int64_t number, latch_ref *kept);

/// A closed instance lives on only where a script holds it.
void latch_forget_instance(latch_vm *vm, int64_t number);

/// Runs a function that was deferred.
latch_status latch_clean_up(latch_vm *vm, int64_t number, latch_run run);

// MARK: Rules and reducers

typedef enum {
  LATCH_RULE_REFUSED,  ///< false or nil; the reason, if any, in latch_rule_reason
  LATCH_RULE_PASSED,
  LATCH_RULE_NOTHING,  ///< no value was returned at all
  LATCH_RULE_RAISED,   ///< see latch_last_failure
} latch_rule_result;

/// Calls a gate rule with the state, the payload and (if not LATCH_NO_REF) the action's name.
latch_rule_result latch_call_rule(latch_vm *vm, latch_ref function, latch_ref name, latch_run run);

/// The second value that the last rule or invariant returned, as text; empty if there was none.
latch_bytes latch_rule_reason(const latch_vm *vm);

/// Calls a reducer with the state and the payload. Returning anything but nothing, nil or the
/// state is LATCH_RUNTIME.
latch_status latch_call_reducer(latch_vm *vm, latch_ref function, latch_run run);

/// One step of a transition: a function that changes the state, or a machine's field that moves.
typedef struct {
  latch_ref function;  ///< the reducer; or the name of the machine's field, a kept string
  latch_ref moves_to;  ///< the new state, a kept string; LATCH_NO_REF: the function is called;
                       ///< LATCH_MOVES_AWAY: the field has no value any more
  uint32_t record;     ///< the selected record that has the field or that the function gets, or 0
  int32_t machine;     ///< its machine
  int32_t region;      ///< that of the field
} latch_step;

enum { LATCH_MOVES_AWAY = INT32_MAX };

/// Takes the steps in turn, each function as `latch_call_reducer` calls it, all on one budget.
latch_status latch_take_steps(latch_vm *vm, const latch_step *steps, size_t count, latch_run run);

/// Calls a function with the state and the payload and encodes its results as a list: a key, a
/// delay, what a gatekeeper's entry works out.
latch_status latch_call_on_state(
  latch_vm *vm, latch_ref function, latch_run run, latch_bytes *results);

// MARK: Machines for records

enum { LATCH_MOST_RECORD_KEYS = 15, LATCH_NO_STOP = -1, LATCH_ODD_STOP = -2 };

/// A region of such a machine.
typedef struct {
  latch_ref field;     ///< a kept string; LATCH_NO_REF: it has none
  int32_t by_default;  ///< the stop at which it begins
  int32_t around;      ///< the region around it, -1 for the outermost
  int32_t owner;       ///< the stop of that at which it is active
} latch_record_region;

/// A text that a region's field may be given: a kept string.
typedef struct {
  latch_ref text;
  int32_t region, stop;  ///< where it stands then
} latch_given_text;

/// A machine that each record at some path has. Kept strings are its names.
typedef struct {
  const latch_ref *path;  ///< the names that lead to what holds the records; LATCH_NO_REF: any key
  size_t path_count;
  const latch_record_region *regions_of;
  size_t regions;
  const latch_ref *values;  ///< what a field says at each stop
  size_t stops;
  const latch_given_text *texts_of;  ///< what fields may be given
  size_t texts;
  bool is_told;    ///< records that come, go and move are told of (latch_take_record_notes)
  bool goes_on;    ///< it has ways that no action asks for: records that change are noted
  int32_t number;  ///< comes back: by what it is known
} latch_record_machine;

/// Records have a machine from now on, those that there are begin. After latch_finish_loading.
latch_status latch_declare_records(latch_vm *vm, latch_record_machine *machine);

/// Returns the changes of records since the last call, as an encoded list: 0, the machine's number
/// and the keys of a new record; 1 and the same of a removed one; 2, the number, the old keys and
/// the new keys. No bytes if there are none. Valid until the next call.
latch_status latch_take_record_notes(latch_vm *vm, latch_bytes *notes);
/// Forgets it.
void latch_drop_record_notes(latch_vm *vm);

/// Which records an action is about, by its payload.
typedef struct {
  int32_t machine;
  const latch_ref *fields;  ///< kept strings: the payload's fields with the keys of the levels;
                            ///< fewer than levels: all records below are meant
  size_t count;
  bool ends_in_list;  ///< the last of the fields holds a list of keys
} latch_selection;

typedef struct {
  uint32_t first, count;  ///< the records are known by these numbers, from 1 on
  bool is_missing;        ///< there is none at some place; the first is in latch_rule_reason
} latch_selected;

/// Selects the records that the payload under way names, besides those that are selected.
latch_status latch_select_records(
  latch_vm *vm, const latch_selection *selection, latch_selected *found);
/// The same of the only record that it names, where the machine has one region and nothing was
/// selected before: that one gets the number 1, and functions get it and its keys from now on.
/// Gives where its machine stands. False: nothing was done; which records there are, or what is
/// wrong, latch_select_records says.
bool latch_select_named(latch_vm *vm, const latch_selection *selection, int32_t *stop);
/// Selects the one with these keys, encoded one behind the other; none where there is none.
latch_status latch_select_record(
  latch_vm *vm, int32_t machine, latch_bytes keys, latch_selected *found);
/// Finds the records in which something was written since this was asked last in the transition
/// under way; latch_select_touched selects them, and those that have come, in that order.
latch_status latch_find_touched_records(latch_vm *vm);
latch_status latch_select_touched(latch_vm *vm, int32_t machine, latch_selected *found);
void latch_forget_touched_records(latch_vm *vm);
/// Forgets all of them.
void latch_forget_selected(latch_vm *vm);
/// Returns the leaf of each region of a selected record's machine: LATCH_NO_STOP for a region that
/// is not active, LATCH_ODD_STOP if the field names no state.
latch_status latch_record_stops(latch_vm *vm, int32_t machine, uint32_t record, int32_t *stops);
/// The keys of a selected record, as an encoded list; no bytes where it stands nowhere.
latch_status latch_keys_of_selected(
  latch_vm *vm, int32_t machine, uint32_t record, latch_bytes *keys);
/// Has the functions that follow get a selected record and its keys, besides what they get anyway.
latch_status latch_focus_record(latch_vm *vm, int32_t machine, uint32_t record);
/// The same for the record alone, without state, payload and keys.
latch_status latch_focus_only(latch_vm *vm, int32_t machine, uint32_t record);
void latch_unfocus(latch_vm *vm);

// MARK: The payload

/// Declares the fields of payloads, once while the flow loads: an encoded list of shapes, which are
/// numbered from 1. The shape of a record is a record of `title`, its name in messages, and
/// `fields`, which has the number of the shape below each field, or 0. The shape of a list or map
/// is the number of the shape of its elements.
///
/// `readers` are pairs of a function and the shape of the fields that it may read of every payload.
/// A function that is not among them may read the fields of all payloads.
latch_status latch_declare_payloads(
  latch_vm *vm, const uint8_t *bytes, size_t length, const latch_ref *readers, size_t reader_count);

/// Makes the encoded record the payload that rules and reducers get, read-only.
/// Empty bytes stand for `{}`. To read a field that the shape of that number does not have is an
/// error; shape 0 has all fields.
latch_status latch_set_payload(latch_vm *vm, const uint8_t *bytes, size_t length, uint32_t shape);

/// Keeps the payload under way, as long as another one is.
latch_status latch_keep_payload(latch_vm *vm, latch_ref *kept);
/// Makes a kept payload the one under way again, and releases it.
void latch_put_payload_back(latch_vm *vm, latch_ref kept);

// MARK: The state

/// Marks what is read outside the state under a name (a gatekeeper) as changed.
latch_status latch_touch_name(latch_vm *vm, const char *name);

/// Encodes the whole state. Valid until the next call.
latch_status latch_state_get(latch_vm *vm, latch_bytes *value);

/// Starts a transition: from here on the undo log records every write.
void latch_begin(latch_vm *vm);

/// Copies what reducers put into the state into nodes of its own, and finds what cannot be state.
latch_status latch_promote(latch_vm *vm);

/// If tables are compared by value: adopts the tables that were put into the state since the
/// last call, so that later code compares them so. If a table cannot be state, restores the value
/// before it and fails with that error.
latch_status latch_end_block(latch_vm *vm);

/// Adopts the tables so far, before more is written to the state in the same transition.
latch_status latch_go_on(latch_vm *vm);

/// Plays the undo log backwards: restores the state as it was at `latch_begin`.
void latch_rollback(latch_vm *vm);

/// Encodes the patch of the transition under way, valid until the next call: a sequence of changes,
/// each a kind (0 set, 1 insert, 2 remove), a path as an encoded list, the old and the new value.
latch_status latch_patch(latch_vm *vm, latch_bytes *patch);

/// Ends the transition and encodes its patch.
latch_status latch_end_transaction(latch_vm *vm, latch_bytes *patch);

/// Puts scalars over those that stand in the state, outside of any transition: each is how many
/// keys lead there in a byte, the keys, and the value, encoded. Readers are not told. `*is_done` is
/// false where something else stands there, or is to; some of them may have been put then.
latch_status latch_put_scalars(latch_vm *vm, const uint8_t *bytes, size_t length, bool *is_done);

/// Calls `function` as a writer with the changes of a patch in the order in which they apply, each
/// { operation, path, value }: forwards with the new values, backwards with the old ones.
latch_status latch_apply_patch(latch_vm *vm, latch_ref function, const uint8_t *patch,
  size_t length, bool backwards, latch_run run);

/// Runs a function as a write from outside a reducer (a scenario's `given`), in a transition that
/// the caller has begun.
latch_status latch_call_writer(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run);

// MARK: Traced runs

/// Events of a traced run. An event at one place is followed by the place's key.
typedef enum {
  LATCH_TRACE_READ = 1,  ///< what stands at a key was looked at
  LATCH_TRACE_WRITE,     ///< a scalar was written over another, or over nothing
  LATCH_TRACE_PUT,       ///< a table came there, or left
  LATCH_TRACE_WHOLE,     ///< the keys were looked at and what stands there, no deeper
  LATCH_TRACE_DEEP,      ///< the same with all that is in tables below
  LATCH_TRACE_SHAPE,     ///< which keys it has, or how many, was looked at
  LATCH_TRACE_RECORDS,   ///< where the machines of records stand was looked at
  LATCH_TRACE_INSERT,    ///< an element came at a key of a list, and those behind it moved on
  LATCH_TRACE_REMOVE,    ///< the one there left, and those behind it moved back
  /// Before another event: 1 in four bytes if its continuation is known, in four more how many
  /// instructions have run since the last, in four the number of the run that it is a part of, and
  /// the continuation's hash in 16.
  LATCH_TRACE_CONTINUATION,
} latch_trace_event;

typedef struct {
  latch_bytes events;  ///< an event's number in a byte, that of a table in four, and the key
  latch_bytes state;   ///< as from latch_trace_begin, without numbers of tables
  bool is_whole;       ///< false: more was done than is told
} latch_traced;

/// From now on runs can be traced in this VM, and are slower.
latch_status latch_trace_open(latch_vm *vm);
/// Tells from here on what scripts do. `*state` is what there is before: for each table a letter
/// (l: list, m: map, e: empty, r: record), its number in four bytes, how many keys it has in four,
/// and those with their values, a table in its place. Both are valid until the next call.
latch_status latch_trace_begin(latch_vm *vm, latch_bytes *state);
/// From now on, until it is called again, each event comes with its continuation: a hash of all on
/// which it depends what the run does with what it reads, as far as that has begun in the same run.
latch_status latch_trace_report_continuations(latch_vm *vm, bool reports);
/// How many bytes are told so far.
size_t latch_trace_offset(const latch_vm *vm);
/// Ends that.
latch_status latch_trace_end(latch_vm *vm, latch_traced *traced);

// MARK: Readers: views and invariants

/// Declares a reader. Its number is given back: 0, 1, 2 and so on.
latch_status latch_reader_add(latch_vm *vm, latch_ref function, int32_t *reader);

/// True when something that the reader read has changed since it last ran, or it never ran.
bool latch_reader_is_stale(const latch_vm *vm, int32_t reader);

/// How often the reader has run.
int64_t latch_reader_runs(const latch_vm *vm, int32_t reader);

enum { LATCH_NO_READER = -1 };

/// The first stale reader of those from `from` on and before `end`, or LATCH_NO_READER.
int32_t latch_next_stale_reader(const latch_vm *vm, int32_t from, int32_t end);

/// Takes a reader that became stale since it was last taken, the latest first; LATCH_NO_READER when
/// there is none left.
int32_t latch_take_touched_reader(latch_vm *vm);

/// From now on effects ask the host for the value of a view: another text of the flow has taken
/// over, and its VM holds the state.
void latch_read_views_elsewhere(latch_vm *vm);

/// Runs a view on recording nodes if it is stale and keeps its value; encodes the value.
latch_status latch_view_value(latch_vm *vm, int32_t reader, int64_t budget, latch_bytes *value);

/// Runs an invariant on recording nodes.
latch_rule_result latch_check_invariant(latch_vm *vm, int32_t reader, int64_t budget);

/// The readers from `from` on and before `end` are conditions: what each last said is remembered.
void latch_set_conditions(latch_vm *vm, int32_t from, int32_t end);

/// True if a condition may give another result than it last did: since the last call, something
/// that a condition has read has changed, or a transition was rolled back.
bool latch_take_touched_conditions(latch_vm *vm);

/// Conditions may say something else than they last did, whatever was read.
void latch_touch_conditions(latch_vm *vm);

/// Returns the result of a condition. Runs it on recording nodes if it is stale.
latch_rule_result latch_ask_condition(latch_vm *vm, int32_t reader, int64_t budget);

/// Marks every reader as stale (after the state was replaced whole).
void latch_readers_reset(latch_vm *vm);

#endif
