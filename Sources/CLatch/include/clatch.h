/// CLatch: the wall between Swift and Lua.
///
/// No Lua type appears here. Every function returns; none raises. A Lua error, a limit that is hit
/// or memory that runs out becomes a `latch_status`, and `latch_failure` then tells about it.
/// A Swift callback returns a status too, and C raises the Lua error only after the Swift frame is
/// gone, so that no longjmp ever crosses Swift.

#ifndef CLATCH_H
#define CLATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct latch_vm latch_vm;

/// A Lua value that the VM keeps for the host: a function, the state, a payload.
typedef int32_t latch_ref;

enum { LATCH_NO_REF = 0 };

typedef enum {
  LATCH_OK = 0,
  LATCH_SYNTAX,   ///< the text is not Lua
  LATCH_RUNTIME,  ///< a script raised an error
  LATCH_LIMIT,    ///< the instruction budget is spent, or the host interrupted the run
  LATCH_MEMORY,   ///< the memory limit is reached
  LATCH_PENDING,  ///< a coroutine of the host waits (see latch_task_resume)
} latch_status;

/// What kind of code runs: it decides whether the state may be written and who may wait.
typedef enum {
  LATCH_IDLE,
  LATCH_LOADING,
  LATCH_RULE,       ///< a gate rule, a guard, a key, a gatekeeper's function: reads only
  LATCH_REDUCER,    ///< a reducer, on_enter, on_exit: the only phase that may write
  LATCH_VIEW,
  LATCH_INVARIANT,
  LATCH_EFFECT,
  LATCH_SCRIPT,     ///< a scenario or a line typed at the prompt: reads only
  LATCH_DISPATCH,   ///< no script's: a piece of work of which all these may be parts
} latch_phase;

typedef struct {
  const uint8_t *bytes;
  size_t length;
} latch_bytes;

// MARK: Life

/// Opens a VM whose Lua memory never exceeds `memory_limit` bytes (0: no limit).
/// NULL when there is not even memory for that, or Lua is not 5.4.
latch_vm *latch_open(size_t memory_limit);
void latch_close(latch_vm *vm);

/// Remembers all that the VM holds, once, while nothing runs in it. False where it cannot: it notes
/// lines, or there is no memory.
bool latch_keep_image(latch_vm *vm);
/// Makes the VM what it was when its image was kept; its memory holds the same bytes. References made
/// since are void. False without an image, or while something runs.
bool latch_go_back(latch_vm *vm);

/// The version of Lua that is linked, such as 504.
int latch_lua_version(void);

/// What the linked Lua calls itself, with its release: "$LuaVersion: Lua 5.4.4 ...".
const char *latch_lua_release(void);

/// Bytes that Lua holds now, and the most it has held.
size_t latch_memory_used(const latch_vm *vm);
void latch_set_memory_limit(latch_vm *vm, size_t bytes);
void latch_collect_garbage(latch_vm *vm);

/// What is limited besides instructions and memory.
typedef struct {
  size_t state;        ///< bytes of the encoded state, 0: any
  int32_t coroutines;  ///< of scripts, alive at a time
  int32_t nesting;     ///< tables inside tables, between the two below
} latch_limits;

/// A flow's own description is nested some 15 deep; more than 200 would need too much of the C stack.
enum { LATCH_LEAST_NESTING = 20, LATCH_DEEPEST_NESTING = 200 };

/// Tables inside tables in encoded bytes: on their way values stand in lists and records of the host's.
enum { LATCH_DEEPEST_BYTES = LATCH_DEEPEST_NESTING + 10 };

void latch_set_limits(latch_vm *vm, latch_limits limits);

/// Measures the state: LATCH_LIMIT if it takes more bytes than it may.
latch_status latch_check_state(latch_vm *vm);

/// Asks the running script to stop at its next instruction. Safe from a signal handler and from
/// another thread: it only sets a flag.
void latch_interrupt(latch_vm *vm);
void latch_clear_interrupt(latch_vm *vm);

/// Instructions that the last run used, to the precision of the hook's period.
int64_t latch_instructions_used(const latch_vm *vm);
/// Instructions that all runs so far used together.
int64_t latch_instructions_total(const latch_vm *vm);

// MARK: Watching the time from another thread

/// A run of a script, or work of the host's for one, that is not at its end.
typedef struct {
  uint64_t vm;        ///< no other VM of the process has that number
  uint64_t progress;  ///< changes with each run that begins or ends in the VM
  latch_phase phase;
} latch_run_under_way;

/// What runs now in any VM of the process.
size_t latch_runs_under_way(latch_run_under_way *runs, size_t capacity);

/// Asks that run, and no other, to end at its next instruction.
void latch_end_run(latch_run_under_way run);

/// The number of the VM in `latch_run_under_way`.
uint64_t latch_number(const latch_vm *vm);

/// Whether the VM of that number is open.
bool latch_is_open(uint64_t number);

// MARK: Failures

typedef struct {
  latch_status status;
  latch_bytes message;    ///< without position
  latch_bytes chunk;      ///< the file of the innermost script line, empty if there is none
  int line;               ///< 0 if there is none
  latch_bytes traceback;  ///< one frame a line, ours included
  latch_bytes value;      ///< the error value encoded, when it was a table of plain data
  bool incomplete;        ///< a syntax error that more input may mend
} latch_failure;

/// The failure that the last call of this VM reported. Valid until the next call.
latch_failure latch_last_failure(const latch_vm *vm);

/// The number of letters to insert, remove, change or swap to get from one name to the other: 64 where one
/// is longer than that, or longer than the other by more than three.
int latch_edit_distance(const char *a, const char *b);

// MARK: Calls from Lua to the host

typedef enum {
  LATCH_REPLY,         ///< the bytes given to latch_reply are the results, a list
  LATCH_REPLY_ERROR,   ///< they are the message of an error to raise
  LATCH_REPLY_WAIT,    ///< suspend the task that called, until latch_task_resume
} latch_reply_kind;

typedef latch_reply_kind (*latch_callback)(
  void *context, int32_t function, const uint8_t *arguments, size_t length);

/// Says who answers the host functions. `context` is handed back untouched.
void latch_set_callback(latch_vm *vm, latch_callback callback, void *context);

/// Copies the answer of the host function that is being called.
void latch_reply(latch_vm *vm, const uint8_t *bytes, size_t length);

/// What a flow's library asks the host: the number is the same in every VM.
enum {
  LATCH_HOST_PRINT, LATCH_HOST_LOAD_MODULE, LATCH_HOST_NOW, LATCH_HOST_RANDOM, LATCH_HOST_ENQUEUE,
  LATCH_HOST_SCHEDULE, LATCH_HOST_CANCEL, LATCH_HOST_MAY, LATCH_HOST_KEEPER_MAY_PASS,
  LATCH_HOST_KEEPER_HOLDER, LATCH_HOST_SCOPE_KEY, LATCH_HOST_SCOPE_NAME, LATCH_HOST_SCOPE_PARENT,
  LATCH_HOST_SCOPE_CHECK, LATCH_HOST_SCOPE_LEVELS, LATCH_HOST_SCOPE_HAS, LATCH_HOST_SCOPE_CALL,
  LATCH_HOST_SCOPE_UNLOCK, LATCH_HOST_SCOPE_CLOSE, LATCH_HOST_SCOPE_LEAVE, LATCH_HOST_SCOPE_DEFER,
  LATCH_HOST_SCOPE_MISSING, LATCH_HOST_VIEW,
  LATCH_HOST_FUNCTIONS,  ///< how many; the numbers of others begin here
};

/// The number of such a function, which needs no `latch_provide`; -1 for any other name.
int32_t latch_host_function(const char *name);

/// Makes `name` in the prelude's `host` table call the host with this number.
latch_status latch_provide(latch_vm *vm, const char *name, int32_t function);

// MARK: The flow language

/// Gives scripts what a flow can call wherever it runs.
latch_status latch_open_flow_library(latch_vm *vm);

/// Gives scripts that have this library the words of a flow that was checked in another VM.
latch_status latch_open_words(latch_vm *vm);

// MARK: Chunks and calls

/// Compiles a text chunk (never a binary one) whose globals are the script's, or the prelude's own
/// when `trusted`. `name` is a file's name as errors shall show it.
latch_status latch_load(
  latch_vm *vm, const uint8_t *text, size_t length, const char *name, bool trusted,
  latch_ref *function);

void latch_release(latch_vm *vm, latch_ref reference);

/// The compiled form of a function that was loaded and has not run, for `latch_load_code` in this
/// VM or another one of this process. Valid until the next call. A `trusted` one has no lines.
latch_status latch_dump(latch_vm *vm, latch_ref function, bool trusted, latch_bytes *code);

/// Loads what `latch_dump` or `scripts/preludes` gave, and nothing else: Lua does not check compiled code.
latch_status latch_load_code(
  latch_vm *vm, const uint8_t *code, size_t length, bool trusted, latch_ref *function);

/// Keeps the function that the prelude calls `name` (a field of its `host` table).
latch_status latch_prelude_function(latch_vm *vm, const char *name, latch_ref *function);

typedef struct {
  latch_phase phase;
  /// Instructions; less than 1: whatever the caller has left. Inside a piece of work, and in what a script of
  /// the flow's calls, no more than is left there, where what is used is taken off. Only what the host's own
  /// scripts (LATCH_SCRIPT) set off has its budget to itself.
  int64_t budget;
} latch_run;

/// Begins a piece of work on one budget, which all the runs share that come before latch_end_work: a
/// dispatch, the loading of a flow. Whoever watches the time takes it for one run. Pieces may stand inside
/// each other, and inside runs; what stands `apart` pays for itself there. A budget below 1: each run has its
/// own, and only the time is one.
void latch_begin_work(latch_vm *vm, latch_phase phase, int64_t budget, bool apart);
void latch_end_work(latch_vm *vm);

/// Takes instructions off what is left, for work that the host does for a script. What runs now ends soon
/// where that is too much.
void latch_spend(latch_vm *vm, int64_t instructions);

/// Whether what runs has been told to end, by an interruption or since it took too long: loops of the host's
/// own ask, as the hook does for scripts.
bool latch_must_end(const latch_vm *vm);

/// A budget that is not counted, to measure what counting costs. Nothing ends an endless loop then,
/// `latch_interrupt` neither.
#define LATCH_UNCOUNTED INT64_MIN  // Limits.uncounted

/// Calls a function with the encoded list `arguments` (may be empty) and encodes its results as a
/// list into `results`, valid until the next call.
latch_status latch_call(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run, latch_bytes *results);

/// The flow's file has run: its state comes to life, and what scripts can reach becomes read-only.
latch_status latch_finish_loading(latch_vm *vm, latch_run run);

typedef enum {
  LATCH_RULE_REFUSED,   ///< false or nil; the reason, if any, in latch_rule_reason
  LATCH_RULE_PASSED,
  LATCH_RULE_NOTHING,   ///< no value was returned at all
  LATCH_RULE_RAISED,    ///< see latch_last_failure
} latch_rule_result;

/// Calls a gate rule with the state, the payload and (if not LATCH_NO_REF) the action's name.
latch_rule_result latch_call_rule(
  latch_vm *vm, latch_ref function, latch_ref name, latch_run run);

/// The second value that the last rule or invariant returned, as text; empty if there was none.
latch_bytes latch_rule_reason(const latch_vm *vm);

/// Calls a reducer with the state and the payload. Returning anything but nothing, nil or the
/// state is LATCH_RUNTIME.
latch_status latch_call_reducer(latch_vm *vm, latch_ref function, latch_run run);

/// One step of a transition: a function that changes the state, or a machine's field that moves.
typedef struct {
  latch_ref function;  ///< the reducer; or the name of the machine's field, a kept string
  latch_ref moves_to;  ///< the new state, a kept string; LATCH_NO_REF: the function is called
  /// Of a move: where its change begins among the encoded ones, and the lengths of what comes before
  /// the old state, of that and of the new one; 0: it is not encoded.
  uint32_t change;
  uint16_t head, old_length, new_length;
} latch_step;

/// Takes the steps in turn, each function as `latch_call_reducer` calls it, all on one budget.
latch_status latch_take_steps(
  latch_vm *vm, const latch_step *steps, size_t count, const uint8_t *changes, latch_run run);

/// Keeps a string of the flow's for use as an argument.
latch_status latch_keep_string(latch_vm *vm, const char *text, size_t length, latch_ref *kept);

/// How many functions and strings of the flow are kept. Two VMs that have loaded the same flow keep
/// the same ones under the same numbers.
int32_t latch_kept(const latch_vm *vm);

/// Makes the encoded record the payload that rules and reducers get, read-only.
/// Empty bytes stand for `{}`.
latch_status latch_set_payload(latch_vm *vm, const uint8_t *bytes, size_t length);

/// Keeps the payload under way, as long as another one is.
latch_status latch_keep_payload(latch_vm *vm, latch_ref *kept);
/// Makes a kept payload the one under way again, and releases it.
void latch_put_payload_back(latch_vm *vm, latch_ref kept);

/// Calls a function with the state and the payload and encodes its results as a list: a key, a
/// delay, what a gatekeeper's entry works out.
latch_status latch_call_on_state(
  latch_vm *vm, latch_ref function, latch_run run, latch_bytes *results);

// MARK: Tasks: effects, which may wait

typedef int32_t latch_task;

/// Starts an effect with the thing kept as `self`, the payload under way and the encoded list of
/// `more` arguments. LATCH_OK: it has come to its end. LATCH_PENDING: it waits, and `request` holds
/// what for, an encoded list; `*task` names it from then on.
latch_status latch_task_start(
  latch_vm *vm, latch_ref function, latch_ref self, latch_bytes more, latch_run run,
  latch_task *task, latch_bytes *request);

/// Goes on with a task that waits. `answer` is the encoded list that its wait returns, or, if
/// `raise`, holds one string that is raised there.
latch_status latch_task_resume(
  latch_vm *vm, latch_task task, latch_bytes answer, bool raise, latch_run run,
  latch_bytes *request);

/// Ends a task that waits: what it has to close is closed.
void latch_task_close(latch_vm *vm, latch_task task, latch_run run);

// MARK: Instances of scopes

/// Keeps what scripts hold as the instance with that number.
latch_status latch_scope_instance(latch_vm *vm, int64_t number, latch_ref *kept);

/// A closed instance lives on only where a script holds it.
void latch_forget_instance(latch_vm *vm, int64_t number);

/// Runs a function that was deferred.
latch_status latch_clean_up(latch_vm *vm, int64_t number, latch_run run);

// MARK: The state

/// Marks what is read outside the state under a name (a gatekeeper) as changed.
latch_status latch_touch_name(latch_vm *vm, const char *name);

/// Encodes the whole state. Valid until the next call.
latch_status latch_state_get(latch_vm *vm, latch_bytes *value);

/// Starts a transition: from here the journal remembers every write.
void latch_begin(latch_vm *vm);

/// Copies what reducers put into the state into nodes of its own, and finds what cannot be state.
latch_status latch_adopt(latch_vm *vm);

/// Plays the journal backwards: the state is what it was at `latch_begin`.
void latch_rollback(latch_vm *vm);

/// Encodes the patch of the transition under way, valid until the next call: a sequence of changes,
/// each a kind (0 set, 1 insert, 2 remove), a path as an encoded list, the old and the new value.
latch_status latch_patch(latch_vm *vm, latch_bytes *patch);

/// Ends the transition and encodes its patch.
latch_status latch_commit(latch_vm *vm, latch_bytes *patch);

/// Calls `function` as a writer with the changes of a patch in the order in which they apply, each
/// { operation, path, value }: forwards with the new values, backwards with the old ones.
latch_status latch_apply_patch(
  latch_vm *vm, latch_ref function, const uint8_t *patch, size_t length, bool backwards,
  latch_run run);

/// Runs a function as a write from outside a reducer (a scenario's `given`), in a transition that
/// the caller has begun.
latch_status latch_call_writer(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run);

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

/// From now on effects ask the host for the value of a view: another text of the flow has taken over, and
/// its VM holds the state.
void latch_read_views_elsewhere(latch_vm *vm);

/// Runs a view on recording nodes if it is stale and keeps its value; encodes the value.
latch_status latch_view_value(
  latch_vm *vm, int32_t reader, int64_t budget, latch_bytes *value);

/// Runs an invariant on recording nodes.
latch_rule_result latch_check_invariant(latch_vm *vm, int32_t reader, int64_t budget);

/// Marks every reader as stale (after the state was replaced whole).
void latch_readers_reset(latch_vm *vm);

// MARK: Coverage

/// From the next run on the lines that run are noted.
void latch_cover_lines(latch_vm *vm);

/// The lines of a file that have run, a bit each: false behind the last file.
bool latch_covered(const latch_vm *vm, size_t index, const char **name, latch_bytes *bits);

#endif
