/// The VM's own fields, for the C files that make it up (not for the sandboxed library).

#ifndef LATCH_VM_H
#define LATCH_VM_H

#include <stdatomic.h>

#include "latch.h"

/// A growing byte buffer in C memory: it survives whatever happens to Lua.
typedef struct {
  uint8_t *bytes;
  size_t length, capacity;
  size_t most;  ///< bytes that it may hold, 0 for no limit
  bool failed;  ///< memory ran out; what was written since is missing
} latch_buffer;

void latch_buffer_clear(latch_buffer *buffer);
void latch_buffer_free(latch_buffer *buffer);
void latch_buffer_add(latch_buffer *buffer, const void *bytes, size_t length);
void latch_buffer_text(latch_buffer *buffer, const char *text);
/// Adds what of a text there is room for in a message: what is longer is cut, and ends in "...".
void latch_buffer_add_start(latch_buffer *buffer, const char *text, size_t length);
static inline latch_bytes latch_buffer_view(const latch_buffer *buffer) {
  return (latch_bytes){buffer->bytes, buffer->length};
}

/// The name of trusted chunks. Their frames are left out of places and tracebacks.
#define LATCH_PRELUDE_CHUNK "=[moonlatch]"

/// Why a run was ended.
typedef enum {
  LATCH_ALIVE, LATCH_OUT_OF_INSTRUCTIONS, LATCH_OUT_OF_MEMORY, LATCH_INTERRUPTED,
  LATCH_OUT_OF_COROUTINES, LATCH_OUT_OF_TIME, LATCH_OUT_OF_STACK,
  LATCH_OUT_OF_CALLS,
} latch_end;

/// Depth of runs inside runs: a scenario calls the host, which runs a gate rule, and so on.
enum { LATCH_MAX_RUNS = 16, LATCH_MAX_WORKS = 64 };

/// Well-known values in the registry, at fixed integer keys that are set once in latch_open.
enum {
  LATCH_R_STATE = 4,     ///< the root node (the first free key: small ones stand in an array)
  LATCH_R_STATE_DATA,    ///< its data
  LATCH_R_PAYLOAD,       ///< the payload of the action under way
  LATCH_R_JOURNAL,       ///< the journal of the transition under way (barrier.c)
  LATCH_R_LIST,          ///< the metatable that marks the data of a list
  LATCH_R_MAP,           ///< the metatable that marks the data of a map
  LATCH_R_EMPTY,         ///< the metatable that marks an empty table of unknown kind
  LATCH_R_KILLED,        ///< the text that a killed run raises
  LATCH_R_EMPTY_PAYLOAD,
  LATCH_R_DEPENDENTS,    ///< node -> key -> readers (reads.c)
  LATCH_R_READERS,       ///< reader -> { function, value, reads } (see LATCH_READER_FUNCTION)
  LATCH_R_PRELUDE,       ///< the globals of trusted chunks
  LATCH_R_GLOBALS,       ///< the data of the scripts' globals
  LATCH_R_ENVIRONMENT,   ///< the proxy that scripts have as _ENV
  LATCH_R_STRING_INDEX,  ///< "__index", kept for fast look-ups
  LATCH_R_STRING_NEWINDEX,
  LATCH_R_TASKS,         ///< number -> coroutine of an effect
  LATCH_R_NO_MODE,       ///< what stands for "__mode" (weak.c)
  // What a flow has declared in this VM (words.c); false where there is none of a kind.
  LATCH_R_INITIAL,       ///< the initial state, until the flow has loaded
  LATCH_R_REDUCERS,      ///< name -> function
  LATCH_R_GATES,
  LATCH_R_VIEWS,
  LATCH_R_INVARIANTS,
  LATCH_R_VIEW_READERS,  ///< name -> the view's number, and once it was asked for, what reads it
  LATCH_R_TYPES,         ///< the metatable of types that were made
  LATCH_R_KEEPERS,       ///< name -> what the flow holds as gatekeeper.NAME
  LATCH_R_POLICIES,      ///< the names of gatekeepers that are declared
  LATCH_R_MACHINES,      ///< their names in order, until the flow has loaded
  LATCH_R_FACTORIES,     ///< scope -> name -> function
  LATCH_R_INSTANCES,     ///< number -> instance of a scope, until it closes (instances.c)
  LATCH_R_MAKING,        ///< coroutine -> the things that it is making
  LATCH_R_CLEAN_UPS,     ///< number -> function that was deferred
  LATCH_R_MODULES,       ///< name -> what the module returned
  LATCH_R_MODULE_VALUES, ///< the same in order, until the flow has loaded
  LATCH_R_THREADS,       ///< one coroutine for each depth of runs
  LATCH_R_OLD_TEXTS = LATCH_R_THREADS + LATCH_MAX_RUNS,  ///< old values of fields (fields.c)
};

// Blocks (slabs.c)

// With LATCH_PLAIN_BLOCKS each block is the system's: the address sanitizer sees no others.
#if defined(__SANITIZE_ADDRESS__)
#define LATCH_PLAIN_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LATCH_PLAIN_BLOCKS 1
#endif
#endif

enum { LATCH_GRAIN = 16, LATCH_SIZE_CLASSES = 32 };

typedef struct latch_slab latch_slab;
typedef struct latch_large latch_large;

typedef struct latch_blocks {
  struct latch_free *free[LATCH_SIZE_CLASSES];  ///< freed small blocks by size
  char *at, *end;                               ///< what is left of the newest slab
  latch_slab *slabs;
  size_t slab_bytes, most;                      ///< no more bytes of slabs than `most`; 0: any
  latch_large *large;
} latch_blocks;

void *latch_block(latch_blocks *blocks, size_t size);
void latch_free_block(latch_blocks *blocks, void *block, size_t size);
/// Never fails to shrink.
void *latch_resize_block(latch_blocks *blocks, void *block, size_t old_size, size_t new_size);
void latch_free_blocks(latch_blocks *blocks);

/// What blocks hold at one moment. Those blocks stay where they are until all are freed.
typedef struct {
  latch_blocks blocks;
  char *bytes;
  size_t size;
} latch_blocks_image;

/// False: there is no memory for it.
bool latch_keep_blocks(latch_blocks *blocks, latch_blocks_image *image);
/// Fills the blocks with what they held, and frees those that came later.
void latch_restore_blocks(latch_blocks *blocks, const latch_blocks_image *image);

enum { LATCH_WRITTEN_FIELDS = 8, LATCH_KNOWN_MACHINES = 8, LATCH_KNOWN_BRIEF = 512 };

/// A scalar of the state that the transition under way has written (fields.c).
typedef struct {
  const void *node;         ///< the address of the node that it stands in
  const char *name;         ///< its address, by which it is known; NULL: it has an index
  uint64_t index;
  size_t start;             ///< where its change begins in vm->patch
  uint16_t head, old, new;  ///< bytes before the old value, of the old one, of the new one
} latch_written_field;

enum { LATCH_READ_PLACES = 256 };

/// The words of the flow language, each a table that knows what is done with it (words.c).
typedef enum {
  LATCH_WORD_STATE, LATCH_WORD_ACTION, LATCH_WORD_REDUCE, LATCH_WORD_GATE, LATCH_WORD_VIEW,
  LATCH_WORD_INVARIANT, LATCH_WORD_GATEKEEPER, LATCH_WORD_MACHINE, LATCH_WORD_SCOPE,
  LATCH_WORD_EFFECT, LATCH_WORD_DISPATCH, LATCH_WORD_MAY, LATCH_WORD_BOOLEAN, LATCH_WORD_INTEGER,
  LATCH_WORD_NUMBER, LATCH_WORD_ANY, LATCH_WORDS,
} latch_word;

/// What is known of a reader (readers.c).
typedef struct {
  int64_t runs;
  int64_t reads;  ///< how many are in its list (reads.c)
  int64_t cost;      ///< the instructions that its last run used
  uint32_t paid;     ///< the grant that has paid for them (vm->grant)
  int32_t next_touched, next_unsettled;  ///< the rest of the list that it is in
  uint8_t known;  ///< what of it (readers.c)
} latch_reader;

typedef struct latch_covered_file latch_covered_file;
typedef struct latch_image latch_image;

/// What a run, or a piece of work, with a budget of its own has to put back.
typedef struct {
  int64_t budget, granted, most_instructions;
  uint32_t number;
  uint8_t share, surrounding;
  bool inherits;  ///< nothing: it goes on with the budget around it
} latch_grant;

struct latch_vm {
  lua_State *L;  ///< the main thread: protected C work only, never a script

  int32_t kept;  ///< how many functions and names of the flow the host keeps (see `keep`)
  uint64_t brief[LATCH_KNOWN_BRIEF / 64];  ///< a bit for each of the first: it is a brief function

  // Memory (alloc.c)
  char *first_block;  ///< what Lua allocated first: its own state
  size_t first_size;
  latch_blocks blocks;
  size_t used, peak, limit;
  uint64_t allocated;  ///< bytes that Lua ever asked for
  unsigned refusals;   ///< in this run
  bool deep;           ///< one of them came when calls filled the memory
  unsigned refused;    ///< ever, to tell a full stack from a full memory
  int unlimited;  ///< while above 0 the limit is not asked: a rollback must not fail

  // Budget (budget.c)
  int64_t budget, granted, total;
  int64_t most_instructions;  ///< what the budget was at first, as messages name it
  int64_t last_used;   ///< instructions, by what had a budget of its own last
  uint32_t surrounding;  ///< what runs now stand in (latch_surrounding)
  uint32_t works;      ///< how many pieces of work have begun and not ended
  latch_grant outside[LATCH_MAX_WORKS];  ///< of each
  uint32_t grant;      ///< the number of the budget, to tell it from others
  uint32_t grants;     ///< how many were given
  latch_end end;
  int period;              ///< of the coroutine that runs; 0 where nothing is counted
  bool huge_uncounted;     ///< there was no memory to remember one
  bool has_long_strings;   ///< one was made that is not huge, but long
  lua_State *running;  ///< the coroutine of the run
  /// It, or the script's coroutine that it has resumed: what is resumed counts its calls on from there,
  /// and the allocator ends it. The ground while nothing runs.
  lua_State *current;
  const void *stack;   ///< where the outermost run stands on the C stack
  char end_chunk[512];
  int end_line;

  size_t longest_text;  ///< of those that were compiled here
  size_t grown_stack;    ///< to what size one may have grown since the last instruction (alloc.c)
  bool stack_has_grown;  ///< to twice that which it had grown to before

  // Other limits (limits.c)
  latch_limits limits;
  int32_t coroutines;  ///< those of scripts that are neither dead nor collected
  size_t state_bound;  ///< the encoded state is no larger than that
  bool state_is_full;  ///< the state has to be measured before the transition may stand

  // Runs (call.c)
  latch_phase phase;
  bool has_prelude;  ///< the globals of the prelude are there (prelude.c)
  bool globals_frozen;
  bool has_loaded;   ///< nothing can be declared any more (words.c)
  bool views_are_elsewhere;  ///< another VM's text took over: effects ask the host for views (views.c)
  lua_Integer last_clean_up;
  int view_count;    ///< how many views are declared so far
  const void *words[LATCH_WORDS];  ///< the words' addresses, to know them by
  bool payload_is_empty;  ///< the payload that is kept is the shared `{}`
  int depth;
  lua_State *threads[LATCH_MAX_RUNS];
  lua_State *task;     ///< the coroutine of the effect that runs, if one does
  bool waiting;        ///< it has asked to wait
  bool closing;        ///< a coroutine is being closed: nothing may wait
  bool answer_raises;  ///< what it waited for has failed
  latch_task next_task;

  // The state (barrier.c, commit.c)
  const void *list_mark, *map_mark, *empty_mark;
  lua_Integer journal_count;
  lua_Integer undone;  ///< how many entries at the end of the journal are undone
  bool in_transition;
  /// What has been written outside the journal, as long as that is all (fields.c).
  int field_count;
  bool fields_closed;  ///< what is written now goes into the journal
  latch_written_field fields[LATCH_WRITTEN_FIELDS];
  const void *root;   ///< the root node's address, to know it by
  bool structural;  ///< the journal holds more than scalars over scalars
  bool aliased;     ///< a node was put into a second place
  bool spliced;     ///< a list's elements have moved
  bool doubled;     ///< a list may hold a node twice: where each is at home must be kept exact
  bool host_writes;   ///< the host itself writes: machines' fields too
  int machine_count;  ///< how many fields belong to machines: every write looks at its field's use
  const char *machine_fields[LATCH_KNOWN_MACHINES];  ///< the first of them, by address

  // Readers (readers.c)
  int32_t reader_count;
  int32_t recording;  ///< the reader that runs now, or LATCH_NO_READER
  int64_t read_again; ///< how many reads at the beginning of its list it has made so far
  uint64_t read_places[LATCH_READ_PLACES / 64];  ///< a bit for each place that was ever read (reads.c)
  int32_t touched;    ///< the first of those that became stale, as long as the host has not asked
  int32_t unsettled;  ///< the first of those of which the end of the transition under way decides

  // From here on: what going back to an image leaves alone, or sees to by itself (image.c).
  latch_image *image;
  atomic_bool interrupt;

  // Who watches the time (watch.c)
  uint64_t number;                      ///< no other VM of the process has it
  latch_vm *next_open, *previous_open;
  atomic_uint_least64_t progress;       ///< changes with each run that begins or ends
  atomic_uint_least64_t overdue;        ///< the progress at which a run was asked to end

  // Lines that have run (coverage.c)
  bool covers;
  latch_covered_file *covered;

  // Calls of the host (host.c), and buffers that hold something during a call only
  latch_callback callback;
  void *callback_context;
  latch_buffer out, reply, arguments, reason, scratch, patch;

  // Failure (failure.c)
  struct {
    latch_status status;
    latch_buffer message, chunk, traceback, value;
    int line;
    bool incomplete;
  } failure;

  // Blocks of the host's own
  void **huge;  ///< the strings so long that the hook looks at each instruction (work.c)
  size_t huge_count, huge_capacity;
  int32_t reader_capacity;
  latch_reader *readers;
};

// MARK: Pieces shared between the files

/// Notes the line at which a line hook was called.
void latch_note_line(latch_vm *vm, lua_State *L, lua_Debug *frame);
void latch_free_covered(latch_vm *vm);

void *latch_allocate(void *vm, void *block, size_t old_size, size_t new_size);

/// Runs a C function on the main thread, protected. What it leaves on the stack stays there:
/// the caller pops it. Failures are recorded.
latch_status latch_protect(latch_vm *vm, lua_CFunction function, void *argument, int results);

/// What is known of a run beforehand.
typedef enum {
  LATCH_RUN_ANY,
  LATCH_RUN_MAY_WAIT,
  LATCH_RUN_IS_BRIEF,  ///< it ends so soon that the hook would not come by (instruction.h)
} latch_run_kind;

/// Resumes a coroutine under a budget of its own. LATCH_PENDING: it waits (task.c), which only one
/// that may wait does.
latch_status latch_resume_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run options, latch_run_kind kind,
  int *results);
/// Closes a suspended coroutine: what it has to close runs under a budget of its own.
void latch_close_thread(latch_vm *vm, lua_State *thread, latch_run options);

/// The coroutine for the next run, or NULL (the failure is recorded).
lua_State *latch_thread_for_run(latch_vm *vm);
/// Runs what stands on it. On success the results stay there for the caller, who takes them off;
/// on failure the coroutine is dropped.
latch_status latch_run_thread(
  latch_vm *vm, lua_State *thread, int arguments, latch_run options, int *results);
/// The same for a function that is kept under that number.
latch_status latch_run_kept(
  latch_vm *vm, latch_ref function, lua_State *thread, int arguments, latch_run options,
  int *results);
/// Notes what is known of the function on top of the stack, which is kept under the next number.
void latch_note_kept(latch_vm *vm, lua_State *L);

/// Runs a C function on a coroutine of its own, with one integer. On success the results are on
/// `*thread`, which the caller empties.
latch_status latch_run_function(
  latch_vm *vm, lua_CFunction function, lua_Integer argument, latch_run options,
  lua_State **thread, int *results);
/// What the results of a rule say; they are popped.
latch_rule_result latch_take_rule_result(latch_vm *vm, lua_State *thread, int count);

/// True if the state fits its limit; otherwise the failure is recorded.
bool latch_state_fits(latch_vm *vm);
/// True once the changes in vm->patch may have made the state too large: it has to be measured.
bool latch_state_may_be_full(latch_vm *vm);

// ground.c
/// The thread that outermost runs are resumed from, the same one for all VMs of the process. NULL where
/// memory runs out.
lua_State *latch_ground(void);
/// Runs what a dead or suspended coroutine has still to close; `from` is the one that has it closed.
void latch_close_coroutine(lua_State *co, lua_State *from);
/// Whether the run under way has taken more of the C stack than calls that are counted could.
bool latch_is_out_of_stack(const latch_vm *vm);

/// What gives a run its budget.
typedef enum {
  LATCH_IN_NOTHING,  ///< nothing: it has its own
  LATCH_IN_SCRIPT,   ///< a script of the host's own, which pays for what it does itself only
  LATCH_IN_WORK,     ///< a piece of work, or a script of the flow's: its budget is part of that
} latch_surrounding;

/// Gives what begins its budget, and notes what it is given in.
void latch_open_grant(
  latch_vm *vm, latch_grant *outside, latch_phase phase, int64_t budget, bool apart);
/// Takes what was used off what it is a part of.
void latch_close_grant(latch_vm *vm, const latch_grant *outside);

/// Whether what begins just goes on with what is left of the budget around it.
static inline bool latch_inherits(const latch_vm *vm, latch_phase phase, int64_t budget) {
  return vm->surrounding == LATCH_IN_WORK && phase != LATCH_SCRIPT && budget != LATCH_UNCOUNTED &&
         (budget < 1 || vm->budget <= budget);
}

/// Whether a run or a piece of work is under way.
static inline bool latch_is_at_work(const latch_vm *vm) { return vm->depth > 0 || vm->works > 0; }

void latch_start_budget(latch_vm *vm, lua_State *thread);
/// Has the hook come by at the next instruction. It may be called in the allocator.
void latch_look_at_next(lua_State *L);
/// Has the hook count from here, as it does from where a run begins.
void latch_count_anew(latch_vm *vm, lua_State *L);
/// Has the hook come as often on `thread`, which runs, as the VM's strings demand.
void latch_shorten_period(latch_vm *vm, lua_State *thread);
void latch_kill(latch_vm *vm, lua_State *L, latch_end end);

/// Records a failure from the error value on top of `L`, taken from the dead coroutine `thread`
/// (NULL if there is none), and pops the value.
void latch_record_failure(latch_vm *vm, lua_State *L, lua_State *thread, int status);
void latch_record_text(latch_vm *vm, latch_status status, const char *text);
/// A chunk's name as errors show it: without the mark before a file's name.
/// Raises a syntax error for a text that would take too long to compile.
void latch_refuse_slow_text(lua_State *L, const char *text, size_t length, const char *name);

const char *latch_chunk_name(const char *source);
/// Raises what Lua raises when memory runs out: no script can catch it.
int latch_raise_no_memory(lua_State *L);

/// The value of `none`: a field without a value yet.
void *latch_none(void);

// encode.c, decode.c
typedef enum {
  LATCH_TAG_NIL, LATCH_TAG_FALSE, LATCH_TAG_TRUE, LATCH_TAG_INTEGER, LATCH_TAG_NUMBER,
  LATCH_TAG_STRING, LATCH_TAG_LIST, LATCH_TAG_RECORD, LATCH_TAG_MAP, LATCH_TAG_EMPTY,
  LATCH_TAG_OPEN, LATCH_TAG_NONE,
} latch_tag;

typedef struct {
  latch_vm *vm;
  latch_buffer *out;
  char fault[256];    ///< what was wrong, with its path; empty if nothing was
  char path[192];
  size_t path_length;
  int depth;  ///< how deep in the state the value stands
  bool pays;  ///< what a script has returned: the work around the run pays for reading it
} latch_encoder;

/// The texts of an encoder are not cleared as a whole: it is made for each value.
static inline void latch_encoder_begin(
  latch_encoder *encoder, latch_vm *vm, latch_buffer *out) {
  encoder->vm = vm;
  encoder->out = out;
  encoder->depth = 0;
  encoder->pays = false;
  encoder->path_length = 0;
  encoder->fault[0] = encoder->path[0] = 0;
}

/// Encodes the value at `index`. Raises when memory runs out, that of `out` too. False: see
/// `fault`.
bool latch_encode(latch_encoder *encoder, lua_State *L, int index);
/// The same for the host's own use: nothing is charged, and a buffer that is full is no error.
bool latch_try_encode(latch_encoder *encoder, lua_State *L, int index);
void latch_encode_count(latch_buffer *out, size_t count);

/// Pushes the value that starts at *cursor and moves the cursor behind it. Raises on bytes that
/// are no value and when memory runs out.
void latch_decode(lua_State *L, const uint8_t **cursor, const uint8_t *end, int depth);

/// Makes the plain table on top of the stack, and every table in it, read-only.
void latch_freeze(lua_State *L);

/// The same for the table alone: what it holds stays as it is.
void latch_freeze_shallow(lua_State *L);
/// Makes the table on top of the stack read-only where it stands, and every table in it.
void latch_freeze_in_place(lua_State *L);
/// What an assignment to a read-only table runs: it raises.
int latch_refuse_write(lua_State *L);
bool latch_is_frozen_guard(lua_CFunction function);

// node.c: a node is an empty proxy; its metatable holds the data and the place.
/// Where a node's metatable has its recording node, once a reader has come by (recorder.c).
enum { LATCH_NODE_RECORDER = 4 };

void latch_open_nodes(lua_State *L);
bool latch_is_node(lua_State *L, int index);
/// True when both values are equal, the kind of number included.
bool latch_is_same(lua_State *L, int a, int b);
/// Replaces the data table on top of the stack by a node for it.
void latch_push_new_node(lua_State *L);
void latch_push_node_data(lua_State *L, int index);
/// What the data at `index` is: a list, a map, empty, or (0) a closed record.
int latch_data_mark(lua_State *L, int index);
void latch_set_mark(lua_State *L, int index, int mark);
/// Sets the node's place: the parent node and the key under which it stands there.
void latch_set_place(lua_State *L, int node, int parent, int key);
/// Pushes parent and key of the node at `index`, or nothing. The key is looked for if it moved.
bool latch_push_place(lua_State *L, int index);
bool latch_is_mark(latch_vm *vm, const void *metatable);
/// Pushes "state.rows[1].note" for a key of a node.
const char *latch_push_path(lua_State *L, int node, int key);
/// Appends ".name", "[1]" or "[\"other name\"]" to the path on top of the stack.
void latch_append_step(lua_State *L, int key);
/// Raises "PATH: what", with the script's line.
int latch_path_error(lua_State *L, int node, int key, const char *what);
/// True for text that can stand behind a dot.
bool latch_is_name(const char *text);
/// The innermost frame that is the script's, with its source and line; false where there is none.
bool latch_find_script(lua_State *L, lua_Debug *frame);
/// Pushes "file:line: " of that frame.
void latch_push_where(lua_State *L);
/// Pushes `; did you mean NAME?` or an empty string, for a name that is no key of the table.
void latch_push_suggestion(lua_State *L, int names, const char *name);

// barrier.c
int latch_node_write(lua_State *L);
/// The __index of a closed record's data: nil for a field without a value, an error for others.
int latch_closed_read(lua_State *L);
/// Shift the elements of a raw list; the value is on top of the stack. Neither charges.
void latch_raw_insert(lua_State *L, int data, lua_Integer position);
/// Tells the elements of the list `node` where they stand now, after all of them have moved.
void latch_place_elements(lua_State *L, int node, int data);
/// Keeps the places of elements exact while an element comes (`by` 1) or goes (-1). Call it before.
void latch_shift_elements(lua_State *L, int node, int data, lua_Integer position, int by);
void latch_raw_remove(lua_State *L, int data, lua_Integer position);
/// How a closed record's field may be used.
enum { LATCH_FIELD_ALWAYS = 1, LATCH_FIELD_OPTIONAL = 2, LATCH_FIELD_MACHINE = 4 };
/// What keeps the value at `index` (not a table) out of the state, or NULL. -0.0 becomes 0.0.
const char *latch_scalar_fault(lua_State *L, int index);
/// False for a string that is not UTF-8.
bool latch_is_utf8_key(lua_State *L, int index);

int latch_mark_machine(lua_State *L);
/// Writes a machine's field. The stack is empty before.
void latch_move_machine(lua_State *L, latch_vm *vm, const latch_step *step, const uint8_t *changes);

// journal.c: node, key, old value, operation
typedef enum {
  LATCH_J_SET, LATCH_J_INSERT, LATCH_J_REMOVE, LATCH_J_REPLACE, LATCH_J_KIND, LATCH_J_PLACE,
} latch_operation;
void latch_journal(lua_State *L, int node, int key, int old, latch_operation operation);
void latch_push_entry(lua_State *L, lua_Integer entry);
/// Undoes a done entry, or does an undone one again: the journal keeps the other side's value.
void latch_swap_entry(lua_State *L, lua_Integer entry, bool undo);
void latch_clear_journal(lua_State *L);

// fields.c
/// (node, key, value): writes a scalar over a scalar, aside from the journal.
/// False: nothing was done, and the write has to go through it; the stack is as it was.
bool latch_write_field(lua_State *L, latch_vm *vm);
/// The same for a machine's field, whose change is encoded already, with an empty stack. Never raises.
bool latch_write_move(
  lua_State *L, latch_vm *vm, const uint8_t *change, const latch_step *step);
/// Moves what was written so into the journal, as its first entries.
void latch_settle_fields(lua_State *L, latch_vm *vm);
/// Gives those fields their old values back.
void latch_restore_fields(lua_State *L, latch_vm *vm);
/// Pushes the node, the key and the old value of one of them.
void latch_push_field(lua_State *L, const latch_vm *vm, int index);
/// Pushes the node and the key.
void latch_push_field_place(lua_State *L, const latch_vm *vm, int index);

// adopt.c
int latch_declare_state(lua_State *L);
/// True when the closed record with this data declares a record at `key`.
bool latch_has_shape(lua_State *L, int data, int key);

// readers.c
/// Where the parts of a reader stand in LATCH_R_READERS.
enum { LATCH_READER_FUNCTION = 1, LATCH_READER_VALUE, LATCH_READER_READS };

/// The reader is stale: something that it read has changed.
void latch_mark_reader(latch_vm *vm, lua_Integer reader);
/// It begins to run: it is stale until it has run to its end.
void latch_reader_runs_now(latch_vm *vm, int32_t reader);
void latch_reader_has_run(latch_vm *vm, int32_t reader);
/// The transition under way has ended: what it made stale is stale, or was never.
void latch_settle_readers(latch_vm *vm, bool rolled_back);

// reads.c
/// The reader that runs, if one does, has read node[key].
void latch_remember(lua_State *L, int node, int key);
/// Forgets what the reader that runs, if one does, had read before and has not read again.
void latch_forget_unread(lua_State *L);
/// False: no reader has read what the transition under way has changed. True: one may have.
bool latch_may_touch(const latch_vm *vm);
/// Makes every reader stale that read what the transition under way has changed.
void latch_touch_writes(lua_State *L);
/// (name), from the prelude: what runs now depends on something outside the state.
int latch_depend(lua_State *L);

// recorder.c
/// Pushes the recording node of a node: always the same one, so that == works.
void latch_push_recorder(lua_State *L, int node);
int latch_recorder_write(lua_State *L);
/// Pushes the data behind a recording node, which counts as reading it whole.
void latch_push_recorded_data(lua_State *L, int index);

// views.c
int latch_view_read(lua_State *L);

// task.c
/// (request...), from the prelude: suspends the effect that calls until the host answers.
int latch_wait(lua_State *L);
/// Waits with the request in vm->out. Call as `return latch_wait_for_answer(L)`.
int latch_wait_for_answer(lua_State *L);

// weak.c
/// Makes `__mode` a field like any other. `block` is what Lua allocated first. False: this build of
/// Lua is laid out differently.
bool latch_forget_weak_tables(lua_State *L, char *block, size_t size);

// watch.c
/// Lets other threads see what runs in the VM, from here until it closes.
void latch_watch(latch_vm *vm);
void latch_unwatch(latch_vm *vm);
/// A run has begun or ended; after it something still `runs`, or nothing does.
void latch_mark_progress(latch_vm *vm, bool runs);
/// The same for the beginning of a piece of work.
void latch_mark_work(latch_vm *vm, latch_phase phase);
/// Whether the run under way was asked to end, as one that took too long.
bool latch_is_overdue(const latch_vm *vm);

// image.c
void latch_drop_image(latch_vm *vm);

// work.c
/// Lua has made a string, or freed a block that may be one.
void latch_note_string(latch_vm *vm, void *block, size_t size);
void latch_forget_string(latch_vm *vm, const void *block, size_t size);
/// The most instructions after which the hook comes by.
int latch_longest_period(const latch_vm *vm);
/// What the instruction under way does besides what any does, in units.
uint64_t latch_instruction_units(lua_State *L, lua_Debug *frame, int64_t period);

// sandbox.c
void latch_open_sandbox(lua_State *L);

// prelude.c
/// Pushes the globals of the prelude, which are made if need be.
void latch_push_prelude(lua_State *L);
/// From now on no script can set a global, and the tables that globals hold are read-only.
void latch_freeze_globals(lua_State *L);
/// Pops a function and keeps it for the host, which knows it by the number. What a flow declares while
/// it loads has numbers of its own: they are the same in every VM that loads the flow.
latch_ref latch_keep_function(lua_State *L);
/// Pushes the function that the host knows by the number, and knows no longer.
void latch_take_function(lua_State *L, lua_Integer reference);

// host.c
/// Calls the host with all that is on the stack, and leaves its results. Call as
/// `return latch_ask_host(L, function)`.
int latch_ask_host(lua_State *L, int32_t function);
void latch_push_host_function(lua_State *L, int32_t function);
/// Sets the fields of the table on top of the stack that call the host by a fixed number.
void latch_set_host_functions(lua_State *L);

#endif
