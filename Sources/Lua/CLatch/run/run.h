/// The run layer: calls of scripts within limits and without a jump across Swift, failures, calls
/// of the host, and effects, which wait.
///
/// It may use the value layer.

#ifndef LATCH_RUN_H
#define LATCH_RUN_H

#include "value/value.h"

// MARK: Protected calls (call.c)

/// Runs a C function on the main thread, protected. Its results stay on the stack; the caller pops
/// them. Failures are recorded.
latch_status latch_protect(latch_vm *vm, lua_CFunction function, void *argument, int results);
/// The same without the limit of memory and without results: for work that must not fail.
latch_status latch_protect_unlimited(latch_vm *vm, lua_CFunction function, void *argument);

/// The kind of a run, as far as it is known before.
typedef enum {
  LATCH_RUN_ANY,
  LATCH_RUN_MAY_WAIT,
  LATCH_RUN_SHORT,  ///< so short that the hook would not be called
} latch_run_kind;

/// Looks for tables of the state that functions have stored. Called before an effect runs.
void latch_search_stored_nodes(latch_vm *vm);

/// Resumes a coroutine with a budget of its own. LATCH_PENDING: it waits (task.c); only a run that
/// may wait does so.
latch_status latch_resume_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run run, latch_run_kind kind, int *results);

/// Closes a suspended coroutine: the closing of its variables runs with a budget of its own.
void latch_close_thread(latch_vm *vm, lua_State *thread, latch_run run);

/// The coroutine for the next run, or NULL (the failure is recorded).
lua_State *latch_thread_for_run(latch_vm *vm);
/// Runs the function on the thread's stack. On success the results stay there, and the caller pops
/// them; on failure the coroutine is dropped.
latch_status latch_run_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run run, int *results);

/// True if the function might keep the payload, and the payload is not frozen yet.
bool latch_may_keep_payload(const latch_vm *vm, latch_ref function);
/// Pushes a function of the flow that the host knows by a number, with the state, the payload and
/// (if not LATCH_NO_REF) a name as its arguments. Returns their number. If the function may keep
/// the payload, it must be frozen before.
int latch_push_kept(lua_State *L, latch_ref function, latch_ref name);
/// Runs such a function on a coroutine of its own. On success the results are on `*thread`, and the
/// caller pops them.
latch_status latch_run_kept(latch_vm *vm, latch_ref function, latch_ref name, latch_run run,
  lua_State **thread, int *results);
/// Records what is known of the function on top of the stack, which gets the next number.
void latch_note_kept(latch_vm *vm, lua_State *L);

/// Returns how that function of the flow can be run. While the state holds a table that a script
/// has put there in this transaction, any kind of run is possible: the table may have a metatable.
latch_run_kind latch_kind_of_run(const latch_vm *vm, latch_ref function);
/// Runs a C function on a coroutine of its own, with one integer. On success the results are on
/// `*thread`, and the caller pops them; if that is NULL, the results are dropped.
latch_status latch_run_function(latch_vm *vm, lua_CFunction function, lua_Integer argument,
  latch_run run, latch_run_kind kind, lua_State **thread, int *results);

/// Pops the results of a run from its thread, and encodes them as a list, valid until the next
/// call.
latch_status latch_encode_results(latch_vm *vm, lua_State *thread, int count, latch_bytes *results);

// MARK: Shapes of payloads (payload_shapes.c)

/// Gives the table on top of the stack, which holds the fields of a payload, the shape of that
/// number. This allocates nothing.
void latch_give_payload_shape(lua_State *L, uint32_t shape);
/// Gives the tables in the value on top of the stack, which are not read-only yet, the shapes that
/// they have as the field with the name at `name` of a payload.
void latch_shape_payload_field(lua_State *L, uint32_t shape, int name);
/// Pushes the empty payload of that shape; nil if it has not been made yet. This allocates nothing.
void latch_push_empty_payload(lua_State *L, uint32_t shape);
/// Makes it.
latch_status latch_make_empty_payload(latch_vm *vm, uint32_t shape);

// MARK: Failures (failure.c)

/// All return the status that is recorded.

/// Records the end of the run on `thread`; `status` is that of Lua.
latch_status latch_record_end(latch_vm *vm, lua_State *thread, int status);
/// Records that no coroutine for another run could be created.
latch_status latch_record_no_thread(latch_vm *vm);
/// Pops the error on top of the main thread's stack and records it.
latch_status latch_record_error(latch_vm *vm, int status);
latch_status latch_record_text(latch_vm *vm, latch_status status, const char *text);

// MARK: What the host keeps by a number (kept.c)

/// Pops a function and stores it for the host under a number, which it returns. Functions that a
/// flow declares while it loads have a range of numbers of their own: they are the same in every VM
/// that loads the flow.
latch_ref latch_keep_function(lua_State *L);
/// Pushes the function with the number, which is then free.
void latch_take_function(lua_State *L, lua_Integer reference);

// MARK: Calls of the host (callbacks.c)

/// Calls the host with all values on the stack, and leaves its results. Use as `return
/// latch_ask_host(L, function)`.
int latch_ask_host(lua_State *L, int32_t function);
/// Charges what calling the host with the text at `index` costs, when its answer is already known.
void latch_charge_question(lua_State *L, int index);
void latch_push_host_function(lua_State *L, int32_t function);
/// Sets those fields of the table on top of the stack that call the host by a fixed number.
void latch_set_host_functions(lua_State *L);

// MARK: Tasks (task.c)

/// (request...), from the prelude: suspends the effect that calls it until the host answers.
int latch_wait(lua_State *L);
/// Waits with the request in vm->out. Use as `return latch_wait_for_answer(L)`.
int latch_wait_for_answer(lua_State *L);
/// The same, with so many values that stay on the stack below the answer; `go_on` is called after
/// it, with their number as its context. While it waits, the first of them is a list of functions,
/// each of which the host may start once (latch_task_branch); its result, or its error, replaces it
/// in the list.
int latch_wait_for_functions(lua_State *L, int kept, lua_KFunction go_on);
/// True if the answer is an error to be raised.
bool latch_answer_raises(lua_State *L);
/// Raises the value on top of the stack: a text with the position in the script in front, or any
/// other value as it is.
int latch_raise_answer(lua_State *L);
/// (message), from the prelude: raises the error of a capability unchanged.
int latch_raise_told(lua_State *L);

#endif
