/// The layer of the machine: a VM's memory, its limits, and the watch of its time. Nothing here
/// knows a kind of table, or the purpose of a run.
///
/// It may use the layer of layout.
///
/// The rule of the whole target: a function that may raise a Lua error is named in lua_CFunction
/// style or takes a `lua_State *L`; a function that takes a `latch_vm *` never raises.

#ifndef LATCH_MACHINE_H
#define LATCH_MACHINE_H

#include "machine/vm.h"

// MARK: The VM behind a lua_State

/// The kind of a coroutine, in the low bits of the VM's address in its extra space. A new coroutine
/// has the kind of the main thread.
typedef enum {
  LATCH_THREAD_HOSTS = 0,    ///< driven by the host: scripts neither yield nor resume it
  LATCH_THREAD_SCRIPTS = 1,  ///< made by a script
  LATCH_THREAD_ENDED = 2,    ///< made by a script and frozen by a limit
} latch_thread_mark;

enum { LATCH_THREAD_MARKS = 3 };

/// The VM that owns this state or coroutine. Never NULL.
static inline latch_vm *latch_of(lua_State *L) {
  return (latch_vm *)(*(uintptr_t *)lua_getextraspace(L) & ~(uintptr_t)LATCH_THREAD_MARKS);
}

/// Sets the coroutine of the run, which another thread may read (watch.c).
static inline void latch_set_running(latch_vm *vm, lua_State *thread) {
  __atomic_store_n(&vm->run.thread, thread, __ATOMIC_RELEASE);
}
/// Sets the running coroutine of the run, which another thread may read too.
static inline void latch_set_current(latch_vm *vm, lua_State *current) {
  __atomic_store_n(&vm->run.current, current, __ATOMIC_RELEASE);
}

static inline latch_thread_mark latch_thread_mark_of(lua_State *L) {
  return (latch_thread_mark)(*(uintptr_t *)lua_getextraspace(L) & LATCH_THREAD_MARKS);
}

static inline void latch_mark_thread(lua_State *L, latch_thread_mark mark) {
  *(uintptr_t *)lua_getextraspace(L) = (uintptr_t)latch_of(L) | mark;
}

/// True if a script made the coroutine `L`. A host function that waits must refuse there: its yield
/// would arrive at the script's own resume.
static inline bool latch_in_script_coroutine(lua_State *L) {
  return latch_thread_mark_of(L) != LATCH_THREAD_HOSTS;
}

// MARK: Memory

// buffer.c
enum { LATCH_BUFFERS = 14 };
/// All buffers of a VM.
void latch_list_buffers(latch_vm *vm, latch_buffer *buffers[LATCH_BUFFERS]);
void latch_buffer_clear(latch_buffer *buffer);
void latch_buffer_free(latch_buffer *buffer);
/// Makes room for so many more bytes. Returns false if the buffer has failed.
bool latch_buffer_grow(latch_buffer *buffer, size_t length);
static inline void latch_buffer_add(latch_buffer *buffer, const void *bytes, size_t length) {
  bool fits = !buffer->failed && length <= buffer->capacity - buffer->length;
  if (!fits && !latch_buffer_grow(buffer, length)) return;
  if (length > 0) __builtin_memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}
void latch_buffer_text(latch_buffer *buffer, const char *text);
/// Returns room for so many bytes after the contents of the buffer, which the caller writes and
/// adds to its length; NULL if it has failed.
static inline uint8_t *latch_buffer_room(latch_buffer *buffer, size_t length) {
  bool fits = !buffer->failed && length <= buffer->capacity - buffer->length;
  return fits || latch_buffer_grow(buffer, length) ? buffer->bytes + buffer->length : NULL;
}
/// The length after which a message of an error or a refusal is cut.
enum { LATCH_LONGEST_MESSAGE = 16384 };
/// Adds a text as far as a message has room for it: a longer one is cut, and ends in "...".
void latch_buffer_add_start(latch_buffer *buffer, const char *text, size_t length);
static inline latch_bytes latch_buffer_view(const latch_buffer *buffer) {
  return (latch_bytes){buffer->bytes, buffer->length};
}

// slabs.c
void *latch_block(latch_blocks *blocks, size_t size);
void latch_free_block(latch_blocks *blocks, void *block, size_t size);
/// Never fails if the block shrinks.
void *latch_resize_block(latch_blocks *blocks, void *block, size_t old_size, size_t new_size);
void latch_free_blocks(latch_blocks *blocks);
/// Returns false if there is no memory for it.
bool latch_keep_blocks(latch_blocks *blocks, latch_blocks_image *image);
/// Restores the contents of the blocks, and frees those that came later.
void latch_restore_blocks(latch_blocks *blocks, const latch_blocks_image *image);
/// Makes the next small blocks come from one large slab. Returns false if there is no memory for
/// it.
bool latch_make_block_room(latch_blocks *blocks);
/// Makes freed blocks that came later than the image look as in the image, as far as possible.
void latch_tidy_blocks(latch_blocks *blocks, const latch_blocks_image *image);
typedef void latch_visit_block(void *context, void *now, const void *then, size_t length);
/// Calls `visit` with each block of the image, and its contents then; if it is known how much of
/// the slabs is in use now, only with that part.
void latch_walk_blocks(const latch_blocks *now, const latch_blocks_image *image, void *context,
  latch_visit_block *visit);
/// The number of bytes in blocks that came later than those of `then`.
size_t latch_later_bytes(const latch_blocks *now, const latch_blocks *then);
/// Frees the blocks of two lists that precede these.
void latch_free_later(
  latch_slab *slabs, latch_slab *last_slab, latch_large *large, latch_large *last_large);

/// The size of the header of a slab, with which a clone's block begins too.
size_t latch_slab_header(void);
/// The block for the contents of a clone, as the first of its slabs, with room after it. NULL if
/// there is no memory for it.
char *latch_clone_block(latch_blocks *blocks, size_t size, size_t room);

// alloc.c
void *latch_allocate(void *vm, void *block, size_t old_size, size_t new_size);
/// Ensures that so many bytes can be allocated, for functions of Lua that build a result in their
/// own buffer: for that Lua collects no garbage, and its error could be caught.
void latch_make_room(lua_State *L, size_t size);
/// Raises the error that Lua raises when memory runs out, which no script can catch.
int latch_raise_no_memory(lua_State *L);

/// True if so many more bytes would exceed the memory limit.
bool latch_is_over_limit(const latch_vm *vm, size_t more);
/// Counts a refusal, and returns NULL.
void *latch_refuse_memory(latch_vm *vm);

// allocation_cost.c
/// Charges for a new function of that size.
void latch_charge_closure(latch_vm *vm, size_t size);
/// Charges for a new vector of that size, if it is the hash of a table that grows. Returns false if
/// that costs more than what is left; the allocation must then be refused.
bool latch_charge_rehash(latch_vm *vm, size_t size);

// arrays.c
/// Makes the array twice as large, or raises an error.
void latch_array_grow(lua_State *L, latch_array *array, size_t width);
void latch_array_free(latch_vm *vm, latch_array *array, size_t width);
/// Makes room for one more item of the array, or raises an error.
static inline void *latch_array_room(lua_State *L, latch_array *array, size_t width) {
  if (array->count == array->capacity) latch_array_grow(L, array, width);
  return (char *)array->items + array->count * width;
}
/// Empties the index, and makes it large enough for more than so many items.
void latch_index_clear(lua_State *L, latch_index *index, uint32_t count);
void latch_index_free(latch_vm *vm, latch_index *index);
static inline uint32_t latch_hash(uint64_t word) {
  return (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32);
}
static inline uint32_t latch_hash_of_address(const void *address) {
  return latch_hash((uint64_t)(uintptr_t)address);
}
/// Adds an item to the index, which must have room for it.
static inline void latch_index_put(latch_index *index, uint32_t hash, uint32_t number) {
  uint32_t slot = hash & index->mask;
  while (index->slots[slot] != 0) slot = (slot + 1) & index->mask;
  index->slots[slot] = number + 1;
}

// image.c
/// Forgets the newest image, if there is one.
void latch_drop_image(latch_vm *vm);
/// True if nothing is left of the last call, and nothing runs.
void latch_forget_call(latch_vm *vm);

// notes.c
/// Every block that was allocated or freed, in order; the size 0 marks a freed one.
struct latch_notes {
  latch_held *blocks;
  size_t count, capacity;
  bool failed;
};
/// Returns NULL if there is no memory for them.
latch_notes *latch_open_notes(void);
void latch_close_notes(latch_notes *notes);
/// The allocator of a VM with notes.
void *latch_allocate_noted(void *vm, void *block, size_t old_size, size_t new_size);
/// Reduces the notes to the existing blocks, the last note of each address. Returns false if they
/// are too many, or there was no memory for them.
bool latch_keep_latest(latch_notes *notes);

// long_strings.c

/// Called when Lua has made a string, or freed a block that may be one.
void latch_note_string(latch_vm *vm, void *block, size_t size);
void latch_forget_string(latch_vm *vm, const void *block, size_t size);

// MARK: Limits

// limits.c
/// Makes room for `count` values, or raises "stack overflow", or the error of the memory limit.
void latch_check_stack(lua_State *L, int count, const char *what);

// c_stack_guard.c
/// The thread from which outermost runs are resumed, the same one for all VMs of the process. NULL
/// if memory runs out.
lua_State *latch_guard_thread(void);
/// Closes the to-be-closed variables of a dead or suspended coroutine; `from` is the one that asks
/// for it.
void latch_close_coroutine(lua_State *co, lua_State *from);
/// The same for a run that has failed or is dropped, on the rest of its budget. A run that a limit
/// has ended is frozen in the middle of an instruction and is left alone.
void latch_close_remains(latch_vm *vm, lua_State *thread, lua_State *from);
/// True if the current run has used more C stack than counted calls could.
bool latch_is_out_of_stack(const latch_vm *vm);

// watch.c
/// Lets other threads see the runs of the VM, until it closes.
void latch_watch(latch_vm *vm);
void latch_unwatch(latch_vm *vm);
/// Called when a run has begun or ended; afterwards something still `runs`, or nothing does.
void latch_mark_progress(latch_vm *vm, bool runs);
/// The same for the beginning of a piece of work.
void latch_mark_work(latch_vm *vm, latch_phase phase);
/// True if the current run was asked to end because it took too long.
bool latch_is_overdue(const latch_vm *vm);
/// The same, because it has used all of `latch_limits.milliseconds`.
bool latch_is_over_time(const latch_vm *vm);
/// Starts to watch the time, in a separate thread, as often as this limit requires.
void latch_watch_time(uint32_t milliseconds);
/// Waits until nobody is about to write to a coroutine: called before memory that may contain one
/// is reused.
void latch_await_watch(latch_vm *vm);

// MARK: Budget

// budget.c

/// True during a run or a piece of work.
static inline bool latch_is_at_work(const latch_vm *vm) {
  return vm->run.depth > 0 || vm->budget.works > 0;
}

/// The values that a nested run must restore.
typedef struct {
  latch_grant outside;
  bool is_callers;  ///< it is a part of the caller's run, and a limit ends both
  latch_end end;
  latch_phase phase;
  lua_State *running, *current;
  int period;
  unsigned refusals;  ///< of memory, so far
  bool deep;
  uint32_t looks;
} latch_saved;

/// Makes `thread` run on its own budget, which the hook counts. A run that `is_short` takes no more
/// than LATCH_MOST_WITHOUT_HOOK instructions, and may need no hook.
void latch_enter_run(
  latch_vm *vm, latch_saved *saved, lua_State *thread, latch_run run, bool is_short);
/// Ends a run: takes its used instructions off the surrounding budget.
void latch_leave_run(latch_vm *vm, const latch_saved *saved);

/// Charges whole VM instructions, for work that replaces Lua code (a coroutine's creation, a step
/// of the pattern matcher). Raises an error when the budget is spent: a script cannot catch it,
/// since every protected call of ours raises it again.
void latch_charge_instructions(lua_State *L, int64_t instructions);
/// The instructions left of the budget now, less those that the hook has not counted yet.
int64_t latch_instructions_left(const latch_vm *vm);

/// Makes the hook be called at the next instruction. It may be called in the allocator.
void latch_look_at_next(lua_State *L);
/// Makes the hook count from here, as it does from the start of a run.
void latch_count_anew(latch_vm *vm, lua_State *L);
/// Makes the hook be called on `thread`, which runs, as often as the VM's strings require.
void latch_shorten_period(latch_vm *vm, lua_State *thread);
/// Makes it be called on `co`, which `L` is about to resume, as often as on `L`, or more often.
void latch_count_on(lua_State *L, lua_State *co);

void latch_kill(latch_vm *vm, lua_State *L, latch_end end);

/// True once a limit has ended this run: code that catches errors must pass them on.
bool latch_is_killed(lua_State *L);

/// For protected calls of scripts: true if `status` (LUA_ERRMEM, or any failure of a killed run)
/// may not be caught. Return `latch_rekill` then.
bool latch_must_pass_on(lua_State *L, int status);

/// Raises the error that ended this run. Call it wherever `latch_is_killed` holds.
int latch_rekill(lua_State *L);

// period.c

enum { LATCH_PERIOD = 997, LATCH_SHORT_PERIOD = 31 };

/// The most instructions between two calls of the hook.
static inline int latch_longest_period(const latch_vm *vm) {
  if (vm->huge_count > 0 || vm->hook.huge_uncounted) return 1;
  return vm->hook.has_long_strings ? LATCH_SHORT_PERIOD : LATCH_PERIOD;
}
/// The same on that stack.
int latch_period_on(const latch_vm *vm, lua_State *L);
/// The number of instructions until its next call, if its last call came after `before`.
int latch_next_period(latch_vm *vm, lua_State *L, int64_t before);
/// Releases the larger part of a stack that is not in use. Call it in a hook.
void latch_shrink_stack(lua_State *L);

// call_cost.c

/// The units of a call whose search never ends.
#define LATCH_ENDLESS UINT64_MAX
/// The cost of finding the callee of the instruction, and of moving its arguments or results.
uint64_t latch_call_units(latch_vm *vm, const latch_frame *frame);
/// The same for a metamethod of the table's that C is about to call.
uint64_t latch_metamethod_units(latch_vm *vm, const void *table, int event);

// instruction_cost.c

/// Probing no more slots than this for a number in vain costs nothing extra.
enum { LATCH_FEW_PROBES = 64 };
/// Records the number of slots that were probed for a number.
static inline void latch_note_probes(latch_vm *vm, uint64_t count) {
  if (count > LATCH_FEW_PROBES && count > vm->hook.most_probes) vm->hook.most_probes = count;
}

/// The extra cost of the current instruction, in units.
uint64_t latch_instruction_units(lua_State *L, lua_Debug *frame, int64_t period);
/// The cost of comparing two strings, in units. `same_length`: for equality, which compares lengths
/// first.
uint64_t latch_comparison_units(
  latch_text_operand first, latch_text_operand second, bool same_length);
/// The cost of following the chain of tables of the one on top of the stack, which is popped: its
/// metatable's `event` (LATCH_R_STRING_INDEX or LATCH_R_STRING_NEWINDEX) and so on; 0 for short
/// chains.
uint64_t latch_link_units(lua_State *L, int event);

// charge.c
/// The units of work in C that count as one Lua instruction: 16 bytes moved or 16 elements
/// examined.
enum { LATCH_UNITS_PER_INSTRUCTION = 16 };

/// Charges `units` of work in C to the current budget. Raises errors like
/// latch_charge_instructions.
void latch_charge(lua_State *L, size_t units);

/// Charges for comparing the values at two indices with lua_rawequal, if they are long strings.
void latch_charge_comparison(lua_State *L, int a, int b);

/// Returns the number that an argument is. A string that stands for one is charged: it may be long.
lua_Integer latch_check_integer(lua_State *L, int argument);
lua_Integer latch_opt_integer(lua_State *L, int argument, lua_Integer otherwise);
lua_Number latch_check_number(lua_State *L, int argument);
/// Charges for the strings among the arguments, which are about to be read as numbers.
void latch_charge_numerals(lua_State *L);

/// Reading or moving one element of a table through Lua's API costs half an instruction.
enum { LATCH_ELEMENT_UNITS = 8 };

/// Charges `count` elements, however large the number is.
void latch_charge_elements(lua_State *L, uint64_t count);

// MARK: Who runs, and where

/// The name of trusted chunks. Their frames are left out of places and tracebacks.
#define LATCH_PRELUDE_CHUNK "=[moonlatch]"

// place.c

/// A chunk's name as errors show it: without the mark before a file's name.
static inline const char *latch_chunk_name(const char *source) {
  return source + (source[0] == '@' || source[0] == '=');
}
/// The innermost frame of a script, with its source and line; false if there is none.
bool latch_find_script(lua_State *L, lua_Debug *frame);
/// Pushes "file:line: " of that frame.
void latch_push_where(lua_State *L);
/// The name of the running code in messages, such as "a gate rule".
const char *latch_who_runs(const latch_vm *vm);

// coverage.c
/// Records the line at which a line hook was called.
void latch_note_line(latch_vm *vm, lua_State *L, lua_Debug *frame);
void latch_free_covered(latch_covered_file **files);
/// Copies the lines that have run. False if there is no memory: what was copied has to be freed.
bool latch_copy_covered(const latch_covered_file *files, latch_covered_file **copy);
/// Makes the lines that have run those of a copy made earlier.
void latch_restore_covered(latch_vm *vm, latch_covered_file *files);

#endif
