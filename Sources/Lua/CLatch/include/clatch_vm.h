/// A VM, the chunks that it runs, and what it reports to the host.

#ifndef CLATCH_VM_H
#define CLATCH_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct latch_vm latch_vm;
/// The types that the state of a flow may have.
typedef struct latch_types latch_types;

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

/// The kind of code that runs. It decides if the state may be written, and if the code may wait.
typedef enum {
  LATCH_IDLE,
  LATCH_LOADING,
  LATCH_RULE,     ///< a gate rule, a guard, a key, a gatekeeper's function: reads only
  LATCH_REDUCER,  ///< a reducer, on_enter, on_exit: the only phase that may write
  LATCH_VIEW,
  LATCH_INVARIANT,
  LATCH_CONDITION,  ///< a way's, that no action asked for: as an invariant
  LATCH_EFFECT,
  LATCH_SCRIPT,    ///< a scenario or a line typed at the prompt: reads only
  LATCH_DISPATCH,  ///< no script's: a piece of work of which all these may be parts
} latch_phase;

typedef struct {
  const uint8_t *bytes;
  size_t length;
} latch_bytes;

// MARK: Life

/// A template: the contents of a loaded VM, from which others are cloned. Threads may share it.
typedef struct latch_template latch_template;

/// Opens a VM whose Lua memory never exceeds `memory_limit` bytes (0: no limit).
/// NULL when there is not even memory for that, or no VM of this library may be opened.
latch_vm *latch_open(size_t memory_limit);
void latch_close(latch_vm *vm);

/// Opens a VM to make a template of: notes all that it holds, which takes time and memory.
latch_vm *latch_open_noted(size_t memory_limit);
/// Makes a template of a VM that was opened noted, with its garbage unless that was collected.
/// Nothing may run in the VM, and afterwards it can only be closed. NULL if there is no memory, if
/// it holds too much, or if it holds what cannot be cloned: a script's coroutine, or a table with a
/// table or a function as a key.
latch_template *latch_make_template(latch_vm *vm);
/// VMs that were cloned from it stay open.
void latch_drop_template(latch_template *vm_template);
/// Opens a VM with the template's contents and limits. NULL if there is no memory.
latch_vm *latch_clone(latch_template *vm_template);

/// Remembers all that the VM holds, once, while nothing runs in it. False where it cannot: it notes
/// lines, or there is no memory.
bool latch_keep_image(latch_vm *vm);
/// Makes the VM what it was when its newest image was kept; its memory holds the same bytes.
/// References made since are void. False without an image, or while something runs.
bool latch_go_back(latch_vm *vm);
/// Keeps one more image of a VM that has one. While there is one, nothing may be put aside. False
/// where `latch_keep_image` would be, or where there is no image yet.
bool latch_keep_further_image(latch_vm *vm);
/// Forgets the newest image of a VM that has several.
void latch_drop_further_image(latch_vm *vm);

/// Before an image is kept: has what comes next stand in one place, where it can be put aside in
/// pieces. False: there is no memory for it.
bool latch_prepare_delta(latch_vm *vm);
/// The changes of a VM since its image was kept, put aside.
typedef struct latch_delta latch_delta;

/// About how many bytes it takes to put aside what the VM is now, once freed memory is tidied.
size_t latch_changed_bytes(latch_vm *vm);
/// Puts aside what the VM is now, and makes it what it was when its image was kept. References stay
/// good for when it is taken up again. NULL, and nothing has changed: there is no image, something
/// runs, it takes more than `most` bytes, or there is no memory.
latch_delta *latch_save_delta(latch_vm *vm, size_t most);
/// About how many bytes it takes.
size_t latch_delta_size(const latch_delta *delta);
/// Makes a VM that is what it was when its image was kept what was put aside, which is used up.
void latch_take_up(latch_vm *vm, latch_delta *delta);
/// Frees what was put aside, whether its VM is open or not.
void latch_drop_delta(latch_delta *delta);

/// Has blocks from 4 MiB on given back to the system as soon as they are freed, in the whole
/// process.
void latch_give_back_large_blocks(void);

/// The version of Lua that is linked, such as 504.
int latch_lua_version(void);
/// True if the library is not Lua 5.4, or is laid out in another way than is known: then no VM is
/// opened.
bool latch_is_other_lua(void);

/// The name and release of the linked Lua: "$LuaVersion: Lua 5.4.4 ...".
const char *latch_lua_release(void);

/// Bytes that Lua holds now, and the most it has held.
size_t latch_memory_used(const latch_vm *vm);
void latch_set_memory_limit(latch_vm *vm, size_t bytes);
void latch_collect_garbage(latch_vm *vm);

/// The limits besides instructions and memory.
typedef struct {
  size_t state;           ///< bytes of the encoded state, 0: any
  int32_t coroutines;     ///< of scripts, alive at a time
  int32_t nesting;        ///< tables inside tables, between the two below
  uint32_t milliseconds;  ///< of the processor's time for a run, or a piece of work, that has
                          ///< nothing around it, 0: any
} latch_limits;

/// A flow's own description is nested some 15 deep; more than 200 would need too much of the C
/// stack.
enum { LATCH_LEAST_NESTING = 20, LATCH_DEEPEST_NESTING = 200 };

/// Tables inside tables in encoded bytes: on their way values stand in lists and records of the
/// host's.
enum { LATCH_DEEPEST_BYTES = LATCH_DEEPEST_NESTING + 10 };

void latch_set_limits(latch_vm *vm, latch_limits limits);

/// Measures the state: LATCH_LIMIT if it takes more bytes than it may.
latch_status latch_check_state(latch_vm *vm);

/// Asks the running script to stop at its next instruction. Safe from a signal handler and from
/// another thread: it only sets a flag.
void latch_interrupt(latch_vm *vm);
/// Lets the script that runs go on, with its time anew.
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

/// Lists the runs under way in all VMs of the process; returns how many it has written.
size_t latch_runs_under_way(latch_run_under_way *runs, size_t capacity);

/// Asks that run, and no other, to end at its next instruction.
void latch_end_run(latch_run_under_way run);

/// Begins a piece of work whose runs may take any time, and ends it.
void latch_begin_untimed(latch_vm *vm);
void latch_end_untimed(latch_vm *vm);

/// The number of the VM in `latch_run_under_way`.
uint64_t latch_number(const latch_vm *vm);

/// True if the VM of that number is open.
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
  bool is_raised;         ///< raised by `error`, `assert` or a capability: no fault of the script
} latch_failure;

/// The failure that the last call of this VM reported. Valid until the next call.
latch_failure latch_last_failure(const latch_vm *vm);

/// The number of letters to insert, remove, change or swap to get from one name to the other: 64
/// where one is longer than that, or longer than the other by more than three.
int latch_edit_distance(const char *a, const char *b);
/// How far a name is from the one that was perhaps meant by it, -1 where it is too far: an
/// abbreviation is the last that is near.
int latch_nearness(const char *name, const char *candidate);
/// Gives what a script may write in place of something that Lua or another language has and the
/// sandbox has not: a global, or a field with its library. NULL for any other name.
const char *latch_absent_advice(const char *path);
/// True for a global that Lua or an older release of it has and the sandbox has not.
bool latch_is_absent_global(const char *name);

// MARK: Calls from Lua to the host

typedef enum {
  LATCH_REPLY,         ///< the bytes given to latch_reply are the results, a list
  LATCH_REPLY_ERROR,   ///< they are the message of an error to raise, a fault of the script
  LATCH_REPLY_RAISED,  ///< the same of one that is none: a capability has thrown, a scope is closed
  LATCH_REPLY_VALUE,   ///< they are a value to raise as it is, which is no fault of the script
                       ///< either
  LATCH_REPLY_WAIT,    ///< suspend the task that called, until latch_task_resume
} latch_reply_kind;

typedef latch_reply_kind (*latch_callback)(
  void *context, int32_t function, const uint8_t *arguments, size_t length);

/// Says who answers the host functions. `context` is handed back untouched.
void latch_set_callback(latch_vm *vm, latch_callback callback, void *context);

/// Copies the answer of the host function that is being called.
void latch_reply(latch_vm *vm, const uint8_t *bytes, size_t length);

/// The functions of the host that a flow's library calls. The numbers are the same in every VM.
enum {
  LATCH_HOST_PRINT,
  LATCH_HOST_LOAD_MODULE,
  LATCH_HOST_NOW,
  LATCH_HOST_RANDOM,
  LATCH_HOST_ENQUEUE,
  LATCH_HOST_SCHEDULE,
  LATCH_HOST_CANCEL,
  LATCH_HOST_MAY,
  LATCH_HOST_GATEKEEPER_MAY_PASS,
  LATCH_HOST_GATEKEEPER_HOLDER,
  LATCH_HOST_SCOPE_KEY,
  LATCH_HOST_SCOPE_NAME,
  LATCH_HOST_SCOPE_PARENT,
  LATCH_HOST_SCOPE_CHECK,
  LATCH_HOST_SCOPE_LEVELS,
  LATCH_HOST_SCOPE_HAS,
  LATCH_HOST_SCOPE_CALL,
  LATCH_HOST_SCOPE_UNLOCK,
  LATCH_HOST_SCOPE_CLOSE,
  LATCH_HOST_SCOPE_LEAVE,
  LATCH_HOST_SCOPE_DEFER,
  LATCH_HOST_SCOPE_MISSING,
  LATCH_HOST_VIEW,
  LATCH_HOST_NAMED_STATE,
  LATCH_HOST_MISFIT,
  LATCH_HOST_BORN,
  LATCH_HOST_ATTEMPT,
  LATCH_HOST_BY,
  LATCH_HOST_DOCUMENT,
  LATCH_HOST_ENTERED_BY,
  LATCH_HOST_REVISED,
  LATCH_HOST_FUNCTIONS,  ///< how many; the numbers of others begin here
};

/// The number of such a function, which needs no `latch_provide`; -1 for any other name.
int32_t latch_host_function(const char *name);

/// Makes `name` in the prelude's `host` table call the host with this number.
latch_status latch_provide(latch_vm *vm, const char *name, int32_t function);

// MARK: Chunks and calls

/// Compiles a text chunk (never a binary one) whose globals are the script's, or the prelude's own
/// when `trusted`. `name` is a file's name as errors shall show it.
latch_status latch_load(latch_vm *vm, const uint8_t *text, size_t length, const char *name,
  bool trusted, latch_ref *function);

void latch_release(latch_vm *vm, latch_ref reference);

/// The compiled form of a function that was loaded and has not run, for `latch_load_code` in this
/// VM or another one of this process. Valid until the next call. A `trusted` one has no lines.
latch_status latch_dump(latch_vm *vm, latch_ref function, bool trusted, latch_bytes *code);

/// Loads what `latch_dump` or `scripts/preludes` gave, and nothing else: Lua does not check
/// compiled code.
latch_status latch_load_code(
  latch_vm *vm, const uint8_t *code, size_t length, bool trusted, latch_ref *function);

/// The lines on which an instruction of compiled code stands, some of them several times, to be
/// freed: those of functions that are never called too, but not the line that only ends a function.
/// A line on which a function begins is told by a number below 0 besides. NULL for code without
/// lines.
int32_t *latch_code_lines(const uint8_t *code, size_t length, size_t *count);

/// Keeps the function that the prelude calls `name` (a field of its `host` table).
latch_status latch_prelude_function(latch_vm *vm, const char *name, latch_ref *function);

typedef struct {
  latch_phase phase;
  /// Instructions; less than 1: whatever the caller has left. Inside a piece of work, and in what a
  /// script of the flow's calls, no more than is left there, where what is used is taken off. Only
  /// what the host's own scripts (LATCH_SCRIPT) set off has its budget to itself.
  int64_t budget;
} latch_run;

/// Begins a piece of work on one budget, which all the runs share that come before latch_end_work:
/// a dispatch, the loading of a flow. Whoever watches the time takes it for one run. Pieces may
/// stand inside each other, and inside runs; what stands `apart` pays for itself there. A budget
/// below 1: each run has its own, and only the time is one.
void latch_begin_work(latch_vm *vm, latch_phase phase, int64_t budget, bool apart);
void latch_end_work(latch_vm *vm);

/// True if a piece of work is under way inside another one.
bool latch_is_inside_work(const latch_vm *vm);

/// Takes instructions off what is left, for work that the host does for a script. What runs now
/// ends soon where that is too much.
void latch_spend(latch_vm *vm, int64_t instructions);

/// True if the run under way was asked to end, by an interruption or because it took too long.
/// Loops of the host check it, as the hook does for scripts.
bool latch_must_end(const latch_vm *vm);

/// A budget that is not counted, to measure what counting costs. Nothing ends an endless loop then,
/// `latch_interrupt` neither.
#define LATCH_UNCOUNTED INT64_MIN  // Limits.uncounted

/// Calls a function with the encoded list `arguments` (may be empty) and encodes its results as a
/// list into `results`, valid until the next call.
latch_status latch_call(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run, latch_bytes *results);

/// Keeps a string of the flow's for use as an argument.
latch_status latch_keep_string(latch_vm *vm, const char *text, size_t length, latch_ref *kept);

/// How many functions and strings of the flow are kept. Two VMs that have loaded the same flow keep
/// the same ones under the same numbers.
int32_t latch_kept(const latch_vm *vm);

// MARK: Tasks: effects, which may wait

typedef int32_t latch_task;

/// The receiver of a task's first result: the task that waits for it as its function of that
/// number. If `task` is 0, the host; if the number is 0 too, nobody.
typedef struct {
  latch_task task;
  int32_t number;
} latch_result_receiver;

/// Starts an effect with the thing kept as `self`, the payload under way and the encoded list of
/// `more` arguments. LATCH_OK: it has come to its end, and `request` holds what it returned, an
/// encoded list, where that is the host's. LATCH_PENDING: it waits, and `request` holds what for;
/// `*task` names it from then on.
latch_status latch_task_start(latch_vm *vm, latch_ref function, latch_ref self, latch_bytes more,
  latch_result_receiver receiver, latch_run run, latch_task *task, latch_bytes *request);

/// Starts the function of that number of those that a task waits for, side by side.
latch_status latch_task_branch(latch_vm *vm, latch_result_receiver receiver, latch_run run,
  latch_task *task, latch_bytes *request);

/// The fate of the answer for which a task waits.
typedef enum {
  LATCH_ANSWER_RETURNS,       ///< it is the list that its wait returns
  LATCH_ANSWER_RAISES,        ///< it holds one string, which is raised there with its place
  LATCH_ANSWER_RAISES_AS_IS,  ///< it holds one value, which is raised there
} latch_answer;

/// Goes on with a task that waits, with an encoded list.
latch_status latch_task_resume(latch_vm *vm, latch_task task, latch_result_receiver receiver,
  latch_bytes values, latch_answer answer, latch_run run, latch_bytes *request);

/// Ends a task that waits: what it has to close is closed.
void latch_task_close(latch_vm *vm, latch_task task, latch_run run);

// MARK: Coverage

/// From the next run on the lines that run are noted.
void latch_cover_lines(latch_vm *vm);

/// The lines of a file, two bits each: that it has run, and that a function which begins there was
/// called. False behind the last file.
bool latch_covered(const latch_vm *vm, size_t index, const char **name, latch_bytes *bits);

// MARK: Lengths of time

/// The seconds that a text such as `1h30m` stands for; false for what is none.
bool latch_read_duration(const char *text, size_t length, double *seconds);

/// The end of a sentence that says how seconds are written; longer if a text was given.
const char *latch_what_seconds_are(bool is_text);

/// The fault of a table whose integer keys are not 1 to n, where nothing says that it is a
/// map.
const char *latch_list_with_holes(void);

#endif
