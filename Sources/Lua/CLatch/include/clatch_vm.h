/// A VM, the chunks that it runs, and the information that it gives to the host.

#ifndef CLATCH_VM_H
#define CLATCH_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct latch_vm latch_vm;
/// The types that the state of a flow may have.
typedef struct latch_types latch_types;

/// A Lua value that the VM stores for the host: a function, the state, a payload.
typedef int32_t latch_ref;

enum { LATCH_NO_REF = 0 };

typedef enum {
  LATCH_OK = 0,
  LATCH_SYNTAX,   ///< the text is not Lua
  LATCH_RUNTIME,  ///< a script raised an error
  LATCH_LIMIT,    ///< the instruction budget is spent, or the host interrupted the run
  LATCH_MEMORY,   ///< the memory limit is reached
  LATCH_PENDING,  ///< a coroutine of the host is waiting (see latch_task_resume)
} latch_status;

/// The kind of code that runs. It decides if the state may be written, and if the code may wait.
typedef enum {
  LATCH_IDLE,
  LATCH_LOADING,
  LATCH_RULE,     ///< a gate rule, a guard, a key, a gatekeeper's function: only reads
  LATCH_REDUCER,  ///< a reducer, on_enter, on_exit: the only phase that may write
  LATCH_VIEW,
  LATCH_INVARIANT,
  LATCH_CONDITION,  ///< a guard of an eventless transition: like an invariant
  LATCH_EFFECT,
  LATCH_SCRIPT,    ///< a scenario or a line typed at the prompt: only reads
  LATCH_DISPATCH,  ///< no script: a piece of work that may include all of these
} latch_phase;

typedef struct {
  const uint8_t *bytes;
  size_t length;
} latch_bytes;

// MARK: Life

/// A template: the contents of a loaded VM, from which others are cloned. Threads may share it.
typedef struct latch_template latch_template;

/// Opens a VM whose Lua memory never exceeds `memory_limit` bytes (0: no limit). Returns NULL if
/// there is not enough memory, or if no VM of this library may be opened.
latch_vm *latch_open(size_t memory_limit);
void latch_close(latch_vm *vm);

/// Opens a VM for making a template: records its whole contents, which takes time and memory.
latch_vm *latch_open_noted(size_t memory_limit);
/// Makes a template of a VM that was opened by latch_open_noted, with its garbage unless that was
/// collected. Nothing may run in the VM, and afterwards it can only be closed. Returns NULL if
/// there is no memory, if the VM holds too much, or if it holds something that cannot be cloned: a
/// coroutine of a script, or a table with a table or a function as a key.
latch_template *latch_make_template(latch_vm *vm);
/// VMs that were cloned from it stay open.
void latch_drop_template(latch_template *vm_template);
/// Opens a VM with the template's contents and limits. Returns NULL if there is no memory.
latch_vm *latch_clone(latch_template *vm_template);

/// Stores an image of the VM, with the lines that have run in it, once, while nothing runs in it.
/// Returns false if there is no memory.
bool latch_keep_image(latch_vm *vm);
/// Restores the VM to its newest image; its memory then holds the same bytes. References made since
/// are invalid. Returns false without an image, or while something runs.
bool latch_go_back(latch_vm *vm);
/// Stores one more image of a VM that has one. As long as there is more than one, no delta can be
/// made. Returns false for the reasons of `latch_keep_image`, or if there is no image yet.
bool latch_keep_further_image(latch_vm *vm);
/// Forgets the newest image of a VM that has several.
void latch_drop_further_image(latch_vm *vm);

/// Called before an image is stored: makes later allocations come from one place, from which a
/// delta can be made in pieces. Returns false if there is no memory for it.
bool latch_prepare_delta(latch_vm *vm);
/// A delta: the changes of a VM since its image was stored.
typedef struct latch_delta latch_delta;

/// The approximate number of bytes of a delta of the VM now, after freed memory is tidied.
size_t latch_changed_bytes(latch_vm *vm);
/// Makes a delta of the VM, and restores the VM to its image. References stay valid for the time
/// when the delta is applied again. Returns NULL, and changes nothing, if there is no image, if
/// something runs, if it takes more than `most` bytes, or if there is no memory.
latch_delta *latch_save_delta(latch_vm *vm, size_t most);
/// The approximate size of the delta in bytes.
size_t latch_delta_size(const latch_delta *delta);
/// Applies a delta to a VM that is as its image, and uses the delta up.
void latch_take_up(latch_vm *vm, latch_delta *delta);
/// Frees a delta, even if its VM is closed.
void latch_drop_delta(latch_delta *delta);

/// Makes the allocator return blocks of 4 MiB and more to the system as soon as they are freed, in
/// the whole process.
void latch_give_back_large_blocks(void);

/// The version of Lua that is linked, such as 504.
int latch_lua_version(void);
/// True if the library is not Lua 5.4, or has an unknown memory layout: then no VM is opened.
bool latch_is_other_lua(void);

/// The name and release of the linked Lua: "$LuaVersion: Lua 5.4.4 ...".
const char *latch_lua_release(void);

/// The bytes that Lua holds now, and the most that it has held.
size_t latch_memory_used(const latch_vm *vm);
void latch_set_memory_limit(latch_vm *vm, size_t bytes);
void latch_collect_garbage(latch_vm *vm);

/// The limits other than those of instructions and memory.
typedef struct {
  size_t state;           ///< bytes of the encoded state; 0 for no limit
  int32_t coroutines;     ///< of scripts, alive at the same time
  int32_t nesting;        ///< nesting of tables, between the two below
  uint32_t milliseconds;  ///< processor time of a run, or a piece of work, that has
                          ///< nothing around it; 0 for no limit
} latch_limits;

/// The description of a flow is itself nested some 15 deep; more than 200 would need too much of
/// the C stack.
enum { LATCH_LEAST_NESTING = 20, LATCH_DEEPEST_NESTING = 200 };

/// The nesting of tables in encoded bytes: while they are passed on, values are inside lists and
/// records of the host.
enum { LATCH_DEEPEST_BYTES = LATCH_DEEPEST_NESTING + 10 };

void latch_set_limits(latch_vm *vm, latch_limits limits);

/// Measures the state: LATCH_LIMIT if it takes more bytes than allowed.
latch_status latch_check_state(latch_vm *vm);

/// Asks the running script to stop at its next instruction. Safe from a signal handler and from
/// another thread: it only sets a flag.
void latch_interrupt(latch_vm *vm);
/// Lets the running script continue, with its full time again.
void latch_clear_interrupt(latch_vm *vm);

/// The instructions of the last run, to the precision of the hook's period.
int64_t latch_instructions_used(const latch_vm *vm);
/// The instructions of all runs so far together.
int64_t latch_instructions_total(const latch_vm *vm);

// MARK: Watching the time from another thread

/// A run of a script, or work of the host for one, that has not ended.
typedef struct {
  uint64_t vm;        ///< no other VM of the process has this number
  uint64_t progress;  ///< changes with each run that begins or ends in the VM
  latch_phase phase;
} latch_run_under_way;

/// Lists the current runs in all VMs of the process; returns how many it has written.
size_t latch_runs_under_way(latch_run_under_way *runs, size_t capacity);

/// Asks this run, and no other, to end at its next instruction.
void latch_end_run(latch_run_under_way run);

/// Begins and ends a piece of work whose runs have no limit of time.
void latch_begin_untimed(latch_vm *vm);
void latch_end_untimed(latch_vm *vm);

/// The number of the VM in `latch_run_under_way`.
uint64_t latch_number(const latch_vm *vm);

/// True if the VM with this number is open.
bool latch_is_open(uint64_t number);

// MARK: Failures

typedef struct {
  latch_status status;
  latch_bytes message;    ///< the message without its place
  latch_bytes chunk;      ///< the file of the innermost script line, empty if there is none
  int line;               ///< 0 if there is none
  latch_bytes traceback;  ///< one frame per line, including ours
  latch_bytes value;      ///< the error value encoded, if it was a table of plain data
  bool incomplete;        ///< a syntax error that more input may fix
  bool is_raised;         ///< raised by `error`, `assert` or a capability: not a fault of the
                          ///< script
} latch_failure;

/// The failure that the last call of this VM reported. Valid until the next call.
latch_failure latch_last_failure(const latch_vm *vm);

/// The number of letters to insert, remove, change or swap to get from one name to the other: 64 if
/// one is longer than that, or longer than the other by more than three.
int latch_edit_distance(const char *a, const char *b);
/// The distance of a name from one that it may be a mistake for; -1 if it is too far. An
/// abbreviation counts as the farthest of the near ones.
int latch_nearness(const char *name, const char *candidate);
/// The replacement for something that Lua or another language has and the sandbox has not: a
/// global, or a field with its library. NULL for any other name.
const char *latch_absent_advice(const char *path);
/// True for a global of Lua, or of an older release, that the sandbox does not have.
bool latch_is_absent_global(const char *name);

// MARK: Calls from Lua to the host

typedef enum {
  LATCH_REPLY,         ///< the bytes given to latch_reply are the results, a list
  LATCH_REPLY_ERROR,   ///< they are the message of an error to raise, a fault of the script
  LATCH_REPLY_RAISED,  ///< the same, but not a fault: a capability has thrown, or a scope is closed
  LATCH_REPLY_VALUE,   ///< they are a value to raise unchanged, which is not a fault of the script
                       ///< the same
  LATCH_REPLY_WAIT,    ///< suspend the task that called, until latch_task_resume
} latch_reply_kind;

typedef latch_reply_kind (*latch_callback)(
  void *context, int32_t function, const uint8_t *arguments, size_t length);

/// Sets the callback for host functions. `context` is passed to it.
void latch_set_callback(latch_vm *vm, latch_callback callback, void *context);

/// Copies the result of the host function that is being called.
void latch_reply(latch_vm *vm, const uint8_t *bytes, size_t length);

/// The functions of the host that the library of a flow calls. The numbers are the same in every
/// VM.
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

/// Compiles a text chunk (never a binary one), whose globals are those of scripts, or those of the
/// prelude if it is `trusted`. `name` is the name of the file in errors.
latch_status latch_load(latch_vm *vm, const uint8_t *text, size_t length, const char *name,
  bool trusted, latch_ref *function);

void latch_release(latch_vm *vm, latch_ref reference);

/// The compiled form of a function that was loaded and has not run, for `latch_load_code` in this
/// VM or another one of this process. Valid until the next call. A `trusted` one has no lines.
latch_status latch_dump(latch_vm *vm, latch_ref function, bool trusted, latch_bytes *code);

/// Loads the output of `latch_dump` or `scripts/preludes`, and nothing else: Lua does not check
/// compiled code.
latch_status latch_load_code(
  latch_vm *vm, const uint8_t *code, size_t length, bool trusted, latch_ref *function);

/// The lines with an instruction of compiled code, some of them several times; the caller frees the
/// result. It includes functions that are never called, but not a line that only ends a function.
/// The line on which a function begins is also listed as a negative number. NULL for code without
/// lines.
int32_t *latch_code_lines(const uint8_t *code, size_t length, size_t *count);

/// Stores the function that the prelude calls `name` (a field of its `host` table).
latch_status latch_prelude_function(latch_vm *vm, const char *name, latch_ref *function);

typedef struct {
  latch_phase phase;
  /// A number of instructions; less than 1: the caller's remaining budget. Inside a piece of work,
  /// and in calls from a script of the flow, never more than the remaining budget there, from which
  /// the used instructions are taken. Only calls from the host's own scripts (LATCH_SCRIPT) have a
  /// budget of their own.
  int64_t budget;
} latch_run;

/// Begins a piece of work on one budget, which all runs until latch_end_work share: a dispatch, the
/// loading of a flow. The watch of the time treats it as one run. Pieces may be nested, and be
/// inside runs; a nested piece with `apart` has its own budget. With a budget below 1, each run has
/// its own, and only the time is shared.
void latch_begin_work(latch_vm *vm, latch_phase phase, int64_t budget, bool apart);
void latch_end_work(latch_vm *vm);

/// True if a piece of work runs inside another one.
bool latch_is_inside_work(const latch_vm *vm);

/// Takes instructions off the remaining budget, for work that the host does for a script. If that
/// is too much, the current run ends soon.
void latch_spend(latch_vm *vm, int64_t instructions);

/// True if the current run was asked to end, by an interruption or because it took too long. Loops
/// of the host check it, as the hook does for scripts.
bool latch_must_end(const latch_vm *vm);

/// Turns the counting of instructions off, to measure its cost. Then nothing ends an endless loop,
/// not even `latch_interrupt`.
#define LATCH_UNCOUNTED INT64_MIN  // Limits.uncounted

/// Calls a function with the encoded list `arguments` (may be empty) and encodes its results as a
/// list into `results`, valid until the next call.
latch_status latch_call(
  latch_vm *vm, latch_ref function, latch_bytes arguments, latch_run run, latch_bytes *results);

/// Stores a string of the flow, for use as an argument.
latch_status latch_keep_string(latch_vm *vm, const char *text, size_t length, latch_ref *kept);

/// The number of stored functions and strings of the flow. Two VMs that have loaded the same flow
/// have the same ones under the same numbers.
int32_t latch_kept(const latch_vm *vm);

// MARK: Tasks: effects, which may wait

typedef int32_t latch_task;

/// The receiver of a task's first result: the task that waits for it as its function of that
/// number. If `task` is 0, the host; if the number is 0 too, nobody.
typedef struct {
  latch_task task;
  int32_t number;
} latch_result_receiver;

/// Starts an effect with a stored value as `self`, the current payload and the encoded list of
/// `more` arguments. LATCH_OK: it has ended, and `request` has its result, an encoded list, if the
/// host receives it. LATCH_PENDING: it waits, and `request` has its request; `*task` identifies it
/// from then on.
latch_status latch_task_start(latch_vm *vm, latch_ref function, latch_ref self, latch_bytes more,
  latch_result_receiver receiver, latch_run run, latch_task *task, latch_bytes *request);

/// Starts one of the functions that a task waits for concurrently, by its number.
latch_status latch_task_branch(latch_vm *vm, latch_result_receiver receiver, latch_run run,
  latch_task *task, latch_bytes *request);

/// The outcome of a request for which a task waits.
typedef enum {
  LATCH_ANSWER_RETURNS,       ///< a list, the results of its wait
  LATCH_ANSWER_RAISES,        ///< a string, which is raised there with its place
  LATCH_ANSWER_RAISES_AS_IS,  ///< a value, which is raised there
} latch_answer;

/// Resumes a task that waits, with an encoded list.
latch_status latch_task_resume(latch_vm *vm, latch_task task, latch_result_receiver receiver,
  latch_bytes values, latch_answer answer, latch_run run, latch_bytes *request);

/// Ends a task that waits, and closes its to-be-closed variables.
void latch_task_close(latch_vm *vm, latch_task task, latch_run run);

// MARK: Coverage

/// From the next run on, records the lines that run.
void latch_cover_lines(latch_vm *vm);

/// The lines of a file, two bits each: the line has run, and a function that begins there was
/// called. Returns false after the last file.
bool latch_covered(const latch_vm *vm, size_t index, const char **name, latch_bytes *bits);

// MARK: Lengths of time

/// The seconds of a duration such as `1h30m`; false if the text is not one.
bool latch_read_duration(const char *text, size_t length, double *seconds);

/// The end of a sentence about how durations are written; longer if a text was given.
const char *latch_what_seconds_are(bool is_text);

/// The fault of a table whose integer keys are not 1 to n, if it is not marked as a map.
const char *latch_list_with_holes(void);

#endif
