/// The floor of runs: calling scripts within limits and without a jump across Swift, telling what
/// went wrong, calls of the host, and effects, which wait.
///
/// It may use values.

#ifndef LATCH_RUN_H
#define LATCH_RUN_H

#include "value/value.h"

// MARK: Protected calls (call.c)

/// Runs a C function on the main thread, protected. What it leaves on the stack stays there:
/// the caller pops it. Failures are recorded.
latch_status latch_protect(latch_vm *vm, lua_CFunction function, void *argument, int results);
/// The same past the limit of memory, without results: for what must not fail.
latch_status latch_protect_unlimited(latch_vm *vm, lua_CFunction function, void *argument);

/// The kind of a run, as far as it is known beforehand.
typedef enum {
  LATCH_RUN_ANY,
  LATCH_RUN_MAY_WAIT,
  LATCH_RUN_SHORT,  ///< it ends so soon that the hook would not come by
} latch_run_kind;

/// Looks for tables of the state that functions have stored: before an effect runs.
void latch_search_stored_nodes(latch_vm *vm);

/// Resumes a coroutine under a budget of its own. LATCH_PENDING: it waits (task.c), which only one
/// that may wait does.
latch_status latch_resume_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run run, latch_run_kind kind, int *results);

/// Closes a suspended coroutine: what it has to close runs under a budget of its own.
void latch_close_thread(latch_vm *vm, lua_State *thread, latch_run run);

/// The coroutine for the next run, or NULL (the failure is recorded).
lua_State *latch_thread_for_run(latch_vm *vm);
/// Runs what stands on it. On success the results stay there for the caller, who takes them off;
/// on failure the coroutine is dropped.
latch_status latch_run_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run run, int *results);

/// True if the function might keep the payload, which is not frozen yet.
bool latch_may_keep_payload(const latch_vm *vm, latch_ref function);
/// Pushes a function of the flow that is kept, with the state, the payload and (if not
/// LATCH_NO_REF) a name as its arguments, and gives their number. The payload has to be frozen
/// before if the function may keep it.
int latch_push_kept(lua_State *L, latch_ref function, latch_ref name);
/// Runs that on a coroutine of its own. On success the results are on `*thread`, and the caller
/// takes them off.
latch_status latch_run_kept(latch_vm *vm, latch_ref function, latch_ref name, latch_run run,
  lua_State **thread, int *results);
/// Notes what is known of the function on top of the stack, which is kept under the next number.
void latch_note_kept(latch_vm *vm, lua_State *L);

/// Runs a C function on a coroutine of its own, with one integer. On success the results are on
/// `*thread`, which the caller empties; NULL: nobody wants them.
latch_status latch_run_function(latch_vm *vm, lua_CFunction function, lua_Integer argument,
  latch_run run, lua_State **thread, int *results);

/// Takes the results of a run off its thread, and encodes them as a list, valid until the next
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

/// All give the status that is recorded.

/// Records how the run on `thread` has ended, which is `status` to Lua.
latch_status latch_record_end(latch_vm *vm, lua_State *thread, int status);
/// Records that there is no coroutine for another run.
latch_status latch_record_no_thread(latch_vm *vm);
/// Records the error on top of the main thread's stack, which is popped.
latch_status latch_record_error(latch_vm *vm, int status);
latch_status latch_record_text(latch_vm *vm, latch_status status, const char *text);

// MARK: What the host keeps by a number (kept.c)

/// Pops a function and keeps it for the host, which knows it by the number. What a flow declares
/// while it loads has numbers of its own: they are the same in every VM that loads the flow.
latch_ref latch_keep_function(lua_State *L);
/// Pushes the function that the host knows by the number, and knows no longer.
void latch_take_function(lua_State *L, lua_Integer reference);

// MARK: Calls of the host (callbacks.c)

/// Calls the host with all that is on the stack, and leaves its results. Call as
/// `return latch_ask_host(L, function)`.
int latch_ask_host(lua_State *L, int32_t function);
/// Charges what asking the host with the text at `index` alone takes, where its answer is known.
void latch_charge_question(lua_State *L, int index);
void latch_push_host_function(lua_State *L, int32_t function);
/// Sets the fields of the table on top of the stack that call the host by a fixed number.
void latch_set_host_functions(lua_State *L);

// MARK: Tasks (task.c)

/// (request...), from the prelude: suspends the effect that calls until the host answers.
int latch_wait(lua_State *L);
/// Waits with the request in vm->out. Call as `return latch_wait_for_answer(L)`.
int latch_wait_for_answer(lua_State *L);
/// The same with so many values that stay on the stack below the answer; `go_on`, whose context is
/// their number, is called with it. While it waits, the first of them is a list of functions, each
/// of which the host may start once (latch_task_branch); what it returns, or raises, takes its
/// place.
int latch_wait_for_functions(lua_State *L, int kept, lua_KFunction go_on);
/// True if the answer is an error that is to be raised.
bool latch_answer_raises(lua_State *L);
/// Raises what is on top of the stack: a text with the place of the script, or any value as it is.
int latch_raise_answer(lua_State *L);
/// (message), from the prelude: raises what a capability has thrown, as it is.
int latch_raise_told(lua_State *L);

#endif
