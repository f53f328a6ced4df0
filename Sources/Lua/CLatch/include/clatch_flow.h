/// Flows: their declarations, the state, and the functions that read and change it.

#ifndef CLATCH_FLOW_H
#define CLATCH_FLOW_H

#include "clatch_vm.h"

// MARK: The flow language

/// Adds the functions that a flow can call wherever it runs.
latch_status latch_open_flow_library(latch_vm *vm);

/// Adds the declarators for a flow whose declarations were checked in another VM; needs the library
/// above.
latch_status latch_open_declarators(latch_vm *vm);

/// Declares a field of the state that a machine writes, with its initial value; no bytes mean none.
/// Called before latch_finish_loading.
latch_status latch_declare_region(latch_vm *vm, latch_bytes field, latch_bytes value);

// MARK: Types of the state

typedef enum {
  LATCH_TYPE_ANY,
  LATCH_TYPE_BOOLEAN,
  LATCH_TYPE_INTEGER,
  LATCH_TYPE_NUMBER,
  LATCH_TYPE_STRING,
  LATCH_TYPE_ONE_OF,
  LATCH_TYPE_LIST,  ///< this and the following are types of tables
  LATCH_TYPE_MAP,
  LATCH_TYPE_RECORD,
} latch_type_kind;

typedef struct {
  latch_bytes name;
  uint32_t type;     ///< its number, 0 for any value
  bool may_be_nil;   ///< a value is not required
  bool is_machines;  ///< a machine of the record writes it
} latch_field_spec;

/// A type, as the host declares it. Values are encoded; no bytes mean none. Everything is copied.
typedef struct {
  latch_type_kind kind;
  bool is_place;   ///< a record at a single place, whose parts may lack a type
  bool is_secret;  ///< its values are never shown
  latch_bytes min, max;
  uint32_t min_length, max_length;
  uint32_t element, key;
  latch_bytes pattern;
  const latch_bytes *choices;
  size_t choice_count;
  const latch_field_spec *fields;
  size_t field_count;
  latch_bytes begins;  ///< the initial value of a field of that type that is not given
} latch_type_spec;

/// Makes a table of types, by number; 0 is the type of any value. Returns NULL if there is no
/// memory.
latch_types *latch_types_new(size_t count);
void latch_types_free(latch_types *types);
/// Returns false if there is no memory, or a value is not encoded.
bool latch_types_set(latch_types *types, uint32_t number, const latch_type_spec *spec);
/// Sets the record type of the state, by its number. The types must live as long as the VM. Called
/// before latch_finish_loading.
void latch_set_types(latch_vm *vm, const latch_types *types, uint32_t root);

/// Called after the flow's file has run: creates the state, and makes everything that scripts can
/// reach read-only.
latch_status latch_finish_loading(latch_vm *vm, latch_run run);

// MARK: Instances of scopes

/// Stores the object that scripts hold as the instance with that number.
latch_status latch_scope_instance(latch_vm *vm, int64_t number, latch_ref *kept);

/// Releases a closed instance, which then exists only as long as a script holds it.
void latch_forget_instance(latch_vm *vm, int64_t number);

/// Runs a deferred function.
latch_status latch_clean_up(latch_vm *vm, int64_t number, latch_run run);

// MARK: Rules and reducers

typedef enum {
  LATCH_RULE_REFUSED,  ///< it returned false or nil; the reason, if any, is in latch_rule_reason
  LATCH_RULE_PASSED,
  LATCH_RULE_NOTHING,  ///< it returned no value at all
  LATCH_RULE_RAISED,   ///< see latch_last_failure
} latch_rule_result;

/// Calls a gate rule with the state, the payload and (if not LATCH_NO_REF) the action's name.
latch_rule_result latch_call_rule(latch_vm *vm, latch_ref function, latch_ref name, latch_run run);

/// The second value that the last rule or invariant returned, as text; empty if there was none.
latch_bytes latch_rule_reason(const latch_vm *vm);

/// Calls a reducer with the state and the payload. If it returns a value other than nil and the
/// state, the result is LATCH_RUNTIME.
latch_status latch_call_reducer(latch_vm *vm, latch_ref function, latch_run run);

/// One step of a transaction: a function that changes the state, or a new value of a machine's
/// field.
typedef struct {
  latch_ref function;  ///< the reducer; or the name of the machine's field, a kept string
  latch_ref moves_to;  ///< the new state, a kept string; LATCH_NO_REF: call the function;
                       ///< LATCH_MOVES_AWAY: the field loses its value
  uint32_t record;     ///< the selected record with the field or for the function, or 0
  int32_t machine;     ///< the machine of the record
  int32_t region;      ///< the region of the field
} latch_step;

enum { LATCH_MOVES_AWAY = INT32_MAX };

/// Carries out the steps in order, each function as by `latch_call_reducer`, all on one budget.
latch_status latch_take_steps(latch_vm *vm, const latch_step *steps, size_t count, latch_run run);

/// Calls a function with the state and the payload, and encodes its results as a list: a key, a
/// delay, the options of a gatekeeper's entry.
latch_status latch_call_on_state(
  latch_vm *vm, latch_ref function, latch_run run, latch_bytes *results);

// MARK: Machines for records

enum { LATCH_MOST_RECORD_KEYS = 15, LATCH_NO_STOP = -1, LATCH_ODD_STOP = -2 };

/// A region of a machine for records.
typedef struct {
  latch_ref field;     ///< a kept string; LATCH_NO_REF if it has none
  int32_t by_default;  ///< the initial leaf
  int32_t around;      ///< the enclosing region, -1 for the outermost
  int32_t owner;       ///< the leaf of that region in which this one is active
} latch_record_region;

/// A value that a region's field may be given: a kept string.
typedef struct {
  latch_ref text;
  int32_t region, stop;  ///< the leaf that it stands for
} latch_given_text;

/// A machine that each record at some path has. Its names are kept strings.
typedef struct {
  const latch_ref *path;  ///< the names that lead to the records; LATCH_NO_REF: any key
  size_t path_count;
  const latch_record_region *regions_of;
  size_t regions;
  const latch_ref *values;  ///< the value of a field at each leaf
  size_t stops;
  const latch_given_text *texts_of;  ///< the values that fields may be given
  size_t texts;
  bool is_told;    ///< reports records that are added, removed or moved (latch_take_record_notes)
  bool goes_on;    ///< has eventless transitions: changed records are recorded
  int32_t number;  ///< set by the call: the number of the machine
} latch_record_machine;

/// Declares a machine for records, and sets the initial states of those that exist. Called after
/// latch_finish_loading.
latch_status latch_declare_records(latch_vm *vm, latch_record_machine *machine);

/// Returns the changes of records since the last call, as an encoded list: 0, the machine's number
/// and the keys of a new record; 1 and the same for a removed one; 2, the number, the old keys and
/// the new keys. No bytes if there are none. Valid until the next call.
latch_status latch_take_record_notes(latch_vm *vm, latch_bytes *notes);
/// Forgets those changes.
void latch_drop_record_notes(latch_vm *vm);

/// How a payload selects the records that its action concerns.
typedef struct {
  int32_t machine;
  const latch_ref *fields;  ///< kept strings: the payload's fields with the keys of the levels;
                            ///< fewer than levels: all records below are selected
  size_t count;
  bool ends_in_list;  ///< the last of the fields holds a list of keys
} latch_selection;

typedef struct {
  uint32_t first, count;  ///< the records have these numbers, from 1 on
  bool is_missing;        ///< one does not exist; the first is in latch_rule_reason
} latch_selected;

/// Selects the records that the current payload names, in addition to those that are selected.
latch_status latch_select_records(
  latch_vm *vm, const latch_selection *selection, latch_selected *found);
/// The same for the only record that the payload names, if the machine has one region and nothing
/// is selected yet. The record gets the number 1, and functions get it and its keys from now on.
/// Returns the leaf of its machine in `stop`. Returns false if it did nothing; latch_select_records
/// then selects the records or reports the error.
bool latch_select_named(latch_vm *vm, const latch_selection *selection, int32_t *stop);
/// Selects the record with these keys, encoded one after the other; none if it does not exist.
latch_status latch_select_record(
  latch_vm *vm, int32_t machine, latch_bytes keys, latch_selected *found);
/// Finds the records that were written since the last call in the current transaction;
/// latch_select_touched selects them and the added ones, in that order.
latch_status latch_find_touched_records(latch_vm *vm);
latch_status latch_select_touched(latch_vm *vm, int32_t machine, latch_selected *found);
void latch_forget_touched_records(latch_vm *vm);
/// Forgets all selected records.
void latch_forget_selected(latch_vm *vm);
/// Returns the leaf of each region of a selected record's machine: LATCH_NO_STOP for a region that
/// is not active, LATCH_ODD_STOP if the field names no state.
latch_status latch_record_stops(latch_vm *vm, int32_t machine, uint32_t record, int32_t *stops);
/// Returns the keys of a selected record, as an encoded list; no bytes if it is no longer in the
/// state.
latch_status latch_keys_of_selected(
  latch_vm *vm, int32_t machine, uint32_t record, latch_bytes *keys);
/// Passes a selected record and its keys to the following functions, in addition to their other
/// arguments.
latch_status latch_focus_record(latch_vm *vm, int32_t machine, uint32_t record);
/// Passes only the record, without state, payload and keys.
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

/// Stores the current payload while another one is in use.
latch_status latch_keep_payload(latch_vm *vm, latch_ref *kept);
/// Makes a stored payload the current one again, and releases it.
void latch_put_payload_back(latch_vm *vm, latch_ref kept);

// MARK: The state

/// Marks something outside of the state that readers read by name (a gatekeeper) as changed.
latch_status latch_touch_name(latch_vm *vm, const char *name);

/// Encodes the whole state. Valid until the next call.
latch_status latch_state_get(latch_vm *vm, latch_bytes *value);

/// Starts a transaction: from here on the undo log records every write.
void latch_begin(latch_vm *vm);

/// Copies what reducers have put into the state into nodes, and finds values that cannot be state.
latch_status latch_promote(latch_vm *vm);

/// If tables are compared by value: promotes the tables that were put into the state since the last
/// call, so that later code compares them by value. If a table cannot be state, restores the value
/// before it and fails with that error.
latch_status latch_end_block(latch_vm *vm);

/// Promotes the tables so far, before more is written to the state in the same transaction.
latch_status latch_go_on(latch_vm *vm);

/// Plays the undo log backwards: restores the state as it was at `latch_begin`.
void latch_rollback(latch_vm *vm);

/// Encodes the patch of the current transaction, valid until the next call: a sequence of changes,
/// each a kind (0 set, 1 insert, 2 remove), a path as an encoded list, the old and the new value.
latch_status latch_patch(latch_vm *vm, latch_bytes *patch);

/// Ends the transaction, and encodes its patch.
latch_status latch_end_transaction(latch_vm *vm, latch_bytes *patch);

/// Overwrites scalars in the state, outside of any transaction: each is the number of keys that
/// lead there in a byte, the keys, and the value, encoded. Readers are not invalidated. `*is_done`
/// is false if a place holds something else, or is to; some scalars may have been written then.
latch_status latch_put_scalars(latch_vm *vm, const uint8_t *bytes, size_t length, bool *is_done);

/// Calls `function` as a writer with a function that gives the changes of a patch in the order in
/// which they apply, each as an operation, a table, a key there and a value: forwards with the new
/// values, backwards with the old ones.
latch_status latch_apply_patch(latch_vm *vm, latch_ref function, const uint8_t *patch,
  size_t length, bool backwards, latch_run run);

/// Runs a function as a write from outside a reducer (a scenario's `given`), in a transaction that
/// the caller has begun.
latch_status latch_call_writer(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run);

// MARK: Traced runs

/// Events of a traced run. The key of the place follows an event that concerns one place.
typedef enum {
  LATCH_TRACE_READ = 1,  ///< the value at a key was read
  LATCH_TRACE_WRITE,     ///< a scalar was written over a scalar or nothing
  LATCH_TRACE_PUT,       ///< a table was added or removed there
  LATCH_TRACE_WHOLE,     ///< the keys were read and their values, no deeper
  LATCH_TRACE_DEEP,      ///< the same with everything in tables below
  LATCH_TRACE_SHAPE,     ///< the set of keys, or its size, was read
  LATCH_TRACE_RECORDS,   ///< the states of records' machines were read
  LATCH_TRACE_INSERT,    ///< an element was inserted in a list, and the following ones moved on
  LATCH_TRACE_REMOVE,    ///< an element was removed, and the following ones moved back
  /// Precedes another event: 1 in four bytes if its continuation is known, in four more the number
  /// of instructions since the last event, in four the number of the run that it is a part of, and
  /// the continuation's hash in 16.
  LATCH_TRACE_CONTINUATION,
} latch_trace_event;

typedef struct {
  latch_bytes events;  ///< an event's number in a byte, that of a table in four, and the key
  latch_bytes state;   ///< as from latch_trace_begin, without numbers of tables
  bool is_whole;       ///< false: not everything was recorded
} latch_traced;

/// Allows runs in this VM to be traced; from now on they are slower.
latch_status latch_trace_open(latch_vm *vm);
/// Starts to trace scripts. `*state` is the state before: for each table a letter (l: list, m: map,
/// e: empty, r: record), its number in four bytes, the number of its keys in four, and the keys
/// with their values, a table by its own description. Both are valid until the next call.
latch_status latch_trace_begin(latch_vm *vm, latch_bytes *state);
/// Adds continuations to events, until it is called again: the continuation is a hash of everything
/// that determines how the run uses what it reads, as far as that has begun in the same run.
latch_status latch_trace_report_continuations(latch_vm *vm, bool reports);
/// The number of bytes recorded so far.
size_t latch_trace_offset(const latch_vm *vm);
/// Ends the trace.
latch_status latch_trace_end(latch_vm *vm, latch_traced *traced);

// MARK: Readers: views and invariants

/// Declares a reader, and returns its number: 0, 1, 2 and so on.
latch_status latch_reader_add(latch_vm *vm, latch_ref function, int32_t *reader);

/// True if something that the reader has read has changed since it last ran, or if it never ran.
bool latch_reader_is_stale(const latch_vm *vm, int32_t reader);

/// The number of times that the reader has run.
int64_t latch_reader_runs(const latch_vm *vm, int32_t reader);

enum { LATCH_NO_READER = -1 };

/// The first stale reader from `from` to before `end`, or LATCH_NO_READER.
int32_t latch_next_stale_reader(const latch_vm *vm, int32_t from, int32_t end);

/// Returns a reader that became stale since it was last returned, the latest first; LATCH_NO_READER
/// if there is none left.
int32_t latch_take_touched_reader(latch_vm *vm);

/// From now on effects ask the host for the value of a view: another version of the flow has taken
/// over, and its VM has the state.
void latch_read_views_elsewhere(latch_vm *vm);

/// Runs a view if it is stale and records its reads; stores its value, and encodes it.
latch_status latch_view_value(latch_vm *vm, int32_t reader, int64_t budget, latch_bytes *value);

/// Runs an invariant and records its reads.
latch_rule_result latch_check_invariant(latch_vm *vm, int32_t reader, int64_t budget);

/// Declares that the readers from `from` to before `end` are conditions, whose last results are
/// stored.
void latch_set_conditions(latch_vm *vm, int32_t from, int32_t end);

/// True if a condition may give another result than it last did: since the last call, something
/// that a condition has read has changed, or a transaction was rolled back.
bool latch_take_touched_conditions(latch_vm *vm);

/// Declares that conditions may have other results than they last had, whatever they read.
void latch_touch_conditions(latch_vm *vm);

/// Returns the result of a condition. Runs it if it is stale, and records its reads.
latch_rule_result latch_ask_condition(latch_vm *vm, int32_t reader, int64_t budget);

/// Marks every reader as stale (after the whole state was replaced).
void latch_readers_reset(latch_vm *vm);

#endif
