/// A VM as one structure, so that an image of it is one copy (image.c). Its fields are grouped by
/// the layers that use them; the fields of higher layers are plain data, of which only the layout
/// is known here.

#ifndef LATCH_VM_H
#define LATCH_VM_H

#include <stdatomic.h>

#include "clatch.h"
#include "layout/layout.h"
#include "machine/log_parts.h"
#include "machine/reader_parts.h"
#include "machine/registry.h"

// MARK: Memory

// With LATCH_PLAIN_BLOCKS each block comes from the system: the address sanitizer sees no others.
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
  char *at, *end;                               ///< the rest of the newest slab
  latch_slab *slabs;
  size_t slab_bytes, most;  ///< the bytes of slabs, and their maximum; 0 for none
  latch_large *large;
  // Of a VM cloned from a template (vm_template.c): its first block, and the memory that it shares
  // with others.
  const char *cast, *shared;
  size_t cast_size, shared_size;
} latch_blocks;

/// The contents of all blocks at one moment. Those blocks stay in place until all are freed.
typedef struct {
  latch_blocks blocks;
  char *bytes;
  size_t size;
} latch_blocks_image;

// MARK: Runs

/// The reason why a run was ended.
typedef enum {
  LATCH_ALIVE,
  LATCH_OUT_OF_INSTRUCTIONS,
  LATCH_OUT_OF_MEMORY,
  LATCH_INTERRUPTED,
  LATCH_OUT_OF_COROUTINES,
  LATCH_OUT_OF_TIME,  ///< the watch of the time has asked it to end
  LATCH_OUT_OF_PROCESSOR_TIME,
  LATCH_OUT_OF_STACK,
  LATCH_OUT_OF_CALLS,
} latch_end;

/// The values that a run, or a piece of work, with its own budget must restore.
typedef struct {
  int64_t budget, granted, most_instructions;
  uint32_t number;
  uint8_t share, surrounding;
  bool inherits;  ///< nothing: it uses the budget around it
} latch_grant;

/// The source of a run's budget.
typedef enum {
  LATCH_IN_NOTHING,  ///< nothing: it has its own
  LATCH_IN_SCRIPT,   ///< a script of the host, which pays only for its own work
  LATCH_IN_WORK,     ///< a piece of work, or a script of the flow: its budget is part of that
} latch_surrounding;

/// The number of functions of a flow for which it is known if they need the hook.
enum { LATCH_KNOWN_FUNCTIONS = 512 };

// MARK: The state

/// The number of places that have a bit for having been read.
enum { LATCH_READ_PLACES = 256 };

/// The most nodes whose reads are recorded one by one, and the number of slots for nodes that were
/// recorded with all that is below them.
enum { LATCH_MOST_RECORDED = 32, LATCH_WALKED = 8 };

/// A node whose reads are recorded, and what its `__index` was (recorder.c).
typedef struct {
  const void *node;
  void *index;
  uint8_t type;
} latch_recorded;

// MARK: The language

/// The declarators of a flow, each a table that handles its declarations (declarators.c).
typedef enum {
  LATCH_DECLARATOR_STATE,
  LATCH_DECLARATOR_ACTION,
  LATCH_DECLARATOR_REDUCE,
  LATCH_DECLARATOR_GATE,
  LATCH_DECLARATOR_VIEW,
  LATCH_DECLARATOR_INVARIANT,
  LATCH_DECLARATOR_GATEKEEPER,
  LATCH_DECLARATOR_MACHINE,
  LATCH_DECLARATOR_SCOPE,
  LATCH_DECLARATOR_MIGRATE,
  LATCH_DECLARATOR_EFFECT,
  LATCH_DECLARATOR_INTERNAL,
  LATCH_DECLARATOR_DISPATCH,
  LATCH_DECLARATOR_MAY,
  LATCH_DECLARATOR_BOOLEAN,
  LATCH_DECLARATOR_INTEGER,
  LATCH_DECLARATOR_NUMBER,
  LATCH_DECLARATOR_ANY,
  LATCH_DECLARATORS,
} latch_declarator;

// MARK: The VM

typedef struct latch_covered_file latch_covered_file;
typedef struct latch_changes latch_changes;
typedef struct latch_image latch_image;
typedef struct latch_notes latch_notes;
typedef struct latch_trace latch_trace;

struct latch_vm {
  lua_State *L;  ///< the main thread: only protected C work, never a script

  // MARK: Machine

  // alloc.c
  struct {
    char *first_block;  ///< the first block that Lua allocated: its own state
    size_t first_size;
    latch_blocks blocks;
    size_t used, peak, limit;
    uint64_t allocated;      ///< all bytes that Lua ever requested
    unsigned refusals;       ///< in this run
    bool deep;               ///< one of them came when calls filled the memory
    unsigned refused;        ///< ever, to tell a full stack from a full memory
    size_t grown_from;       ///< the slots of a stack that may grow; 0: none has since the last
                             ///< hook
    lua_State *grown;        ///< the thread of that stack
    bool has_grown;          ///< it has already grown
    bool has_large_vectors;  ///< there was one: an array, a hash or a stack
  } memory;
  int unlimited;  ///< while above 0, the memory limit is off: a rollback must not fail

  // budget.c
  struct {
    int64_t left, granted, total;
    int64_t most;                 ///< its initial value, for messages
    int64_t last_used;            ///< instructions of the last run with its own budget
    uint32_t surrounding, works;  ///< the source of the current budget (latch_surrounding); the
                                  ///< number of current pieces of work
    latch_grant outside[LATCH_MAX_WORKS];  ///< of each piece
    uint32_t grant;                        ///< the number of this grant, to tell it from others
    uint32_t grants;                       ///< the number of all grants
  } budget;

  // The code that runs (budget.c)
  latch_phase phase;
  struct {
    int depth;       ///< the depth of nested runs
    uint32_t begun;  ///< the number of outermost runs, to tell one from the next
    latch_end end;
    lua_State *thread;  ///< the coroutine of the run
    /// It, or the script's coroutine that it has resumed, which counts its calls on from there and
    /// which the allocator ends. The guard thread while nothing runs.
    lua_State *current;
    const void *stack;  ///< the place of the outermost run on the C stack
    char end_chunk[512];
    int end_line;
  } run;
  struct {
    int period;             ///< of the running coroutine; 0 if nothing is counted
    bool huge_uncounted;    ///< there was no memory to record a huge string
    bool has_long_strings;  ///< one was made that is long, but not huge
    bool has_metatables;    ///< a script has set one
    uint32_t looks;         ///< the number of its calls in this run
    bool is_cut;            ///< the current period was cut short
    lua_State *looked;      ///< it was asked to be called out of turn on this thread
    int left, weight;       ///< when it would have been called, and the instructions for which it
                            ///< charges then
    size_t most_probes;     ///< the slots that were probed in vain for a number, if they are many
    size_t longest_text;    ///< of the texts compiled here
  } hook;

  // Other limits (limits.c)
  latch_limits limits;
  int32_t coroutines;  ///< coroutines of scripts that are neither dead nor collected

  // MARK: Values

  const void *list_mark, *map_mark, *leaf_mark, *empty_mark;
  const void *index_name, *newindex_name;  ///< Lua's strings "__index" and "__newindex"
  const void *event_names[LATCH_EVENTS], *tostring_name, *pairs_name;  ///< those of metamethods
  /// The functions by which tables of the state are recognized (kinds.c). They belong to the layer
  /// of the state (open.c).
  struct {
    lua_CFunction node;      ///< protects nodes from writes
    lua_CFunction recorder;  ///< reads the nodes whose reads are recorded
    lua_CFunction read;      ///< reads all other nodes; NULL: inside Lua's VM
  } guards;
  /// Tables of the state, recorders and frozen tables are compared by contents once a function for
  /// that is set (LATCH_R_EQUALITY), in SCXML documents.
  bool compares_contents;
  lua_CFunction call_stub;  ///< calls the stub of a capability (scope_instances.c)
  lua_CFunction find;       ///< string.find, which belongs to a higher layer
  void (*push_recorded_data)(lua_State *L, int index, bool is_length);
  lua_CFunction search_stored_nodes;  ///< before effects run (stored_nodes.c); NULL: not needed
  void (*on_whole_read)(latch_vm *vm, const void *node);  ///< for nodes, if runs are traced
  void (*on_length_read)(latch_vm *vm, const void *node);
  const void *declarators[LATCH_DECLARATORS];  ///< their addresses, by which they are recognized

  // MARK: Runs

  int32_t kept;  ///< the number of functions and names of the flow that the host stores (kept.c)
  // A bit for each of the first of them:
  uint64_t without_hook[LATCH_KNOWN_FUNCTIONS / 64];   ///< set if it needs no hook
  uint64_t reads_payload[LATCH_KNOWN_FUNCTIONS / 64];  ///< set if it only reads its payload
  bool payload_is_known;                               ///< its bytes are those in `payload`
  bool payload_is_frozen;                              ///< scripts may have stored it
  uint32_t payload_fields;  ///< the number of its fields, if it may be refilled
  uint32_t payload_shape;   ///< the number of its shape; 0: it has none
  uint32_t payload_shapes;  ///< the number of shapes
  lua_State *threads[LATCH_MAX_RUNS];

  // task.c
  struct {
    lua_State *thread;    ///< the coroutine of the running effect, if there is one
    bool waiting;         ///< it has asked to wait
    bool closing;         ///< a coroutine is being closed: nothing can wait
    latch_answer answer;  ///< the outcome of its request
    latch_task next;
  } task;

  // MARK: The state

  size_t state_bound;  ///< the encoded state is no larger than this
  bool state_is_full;  ///< it must be measured before the transaction can end
  lua_Integer undo_log_count;
  lua_Integer told_entries;  ///< the number of its entries that readers have been told (reads.c)
  bool in_transaction;
  const void *root;          ///< the root node's address, by which it is recognized
  bool structural;           ///< a table was added, removed or moved
  bool aliased;              ///< a node was put into a second place
  bool moved;                ///< a node without a place has moved with a table of a script
  bool spliced;              ///< elements of a list have moved
  bool doubled;              ///< a list may hold a node twice: the place of each must be exact
  bool host_writes;          ///< the host itself writes, and may write machines' fields too
  const latch_types *types;  ///< the types of its values; NULL: none is typed
  uint32_t root_type;        ///< the type of the state itself
  latch_ref ending;          ///< the reducer that runs or has ended, LATCH_NO_REF for the host
  lua_Integer promoted;      ///< the undo log's entries that were promoted when functions ended
  bool has_floating;         ///< one of them is in a node without a place
  bool has_grown;            ///< the length of a table of limited length has changed
  bool keeps_kinds;  ///< a patch is decoded: an empty table of unknown kind stays one in the state
  uint64_t machine_fields;  ///< a bit for the name of each field of a machine: others may share it

  // Machines for records (records.c)
  bool has_records;        ///< there are such machines
  uint64_t record_fields;  ///< like `machine_fields`, for records
  struct {
    uint32_t candidates;  ///< the number of nodes that may be added or removed records
    bool is_noted;        ///< there are marks of nodes
    uint32_t changes;     ///< the number that a rollback restores
    uint32_t settled;     ///< the number of the log's writes at the last look
    uint32_t notes;       ///< the number of which the host has yet to be told
    uint32_t selected;    ///< the number of selected records
    uint32_t focused;     ///< the record whose arguments are set, or 0
    int32_t focused_machine, focused_arguments;
    bool go_on;        ///< some machines have eventless transitions
    uint32_t touched;  ///< the number that the current transaction has changed
    uint32_t asked;    ///< the number of the log's writes at the last query
    bool by_host;      ///< the host writes in the current transaction
  } records;
  int32_t record_arguments;  ///< the number of additional arguments: a record and its keys
  bool only_record;          ///< functions get only the record

  // Readers (readers.c)
  bool views_are_elsewhere;  ///< the flow of another VM has taken over: effects ask the host for
                             ///< views
  int32_t reader_count;
  int32_t recording;   ///< the running reader, or LATCH_NO_READER
  int64_t read_again;  ///< the number of reads at the start of its list that it has repeated so far
  const void *former_reads;  ///< that list
  struct {
    const void *walked[LATCH_WALKED];  ///< nodes that it depends on with all that is below them
    const void *node;                  ///< the node of which it has read an element last, and its
                                       ///< key
    lua_Integer index, steps;
  } walk;
  uint64_t read_places[LATCH_READ_PLACES / 64];  ///< a bit for each place that was ever read
  bool has_read;                                 ///< a bit is set
  struct {
    int32_t from, end;  ///< the readers that are conditions of machines
    bool touched;       ///< one that was not stale became stale, or a transaction was rolled back
    uint64_t fields;    ///< a bit for each field that a plain one reads (conditions.c)
  } conditions;
  int32_t touched;    ///< the first of those that became stale, until the host asks for them
  int32_t undecided;  ///< the first of those on which the end of the current transaction decides

  // MARK: The library and the language

  struct {
    bool globals_frozen;  ///< no script can set one any more (sandbox.c)
    bool has_prelude;     ///< the globals of the prelude exist (prelude.c)
    bool is_checking;     ///< declarations are checked, and the flow is not run (checking.c)
    bool has_loaded;      ///< nothing can be declared any more (loading.c)
    int view_count;       ///< the number of views declared so far
    lua_Integer last_clean_up;
  } flow;

  // MARK: What an image leaves alone

  // From here on: fields that restoring an image leaves alone, or handles separately (image.c).
  latch_image *image;
  latch_notes *notes;           ///< of each block, if a template is to be made (notes.c)
  latch_template *vm_template;  ///< the template from which the VM was cloned
  atomic_bool interrupt;
  struct {
    uint32_t count;
    latch_recorded nodes[LATCH_MOST_RECORDED];
  } recorded;            ///< the nodes whose reads are recorded (recorder.c); none between runs
  latch_trace *trace;    ///< the events of traced runs; NULL: runs are not traced
  bool trace_is_paused;  ///< the barrier itself reads the state

  // The watch of the time (watch.c)
  struct {
    uint64_t number;  ///< no other VM of the process has it
    latch_vm *next, *previous;
    atomic_uint_least64_t progress;  ///< changes with each run that begins or ends
    atomic_uint_least64_t overdue;   ///< the progress at which a run was asked to end
    atomic_bool is_over_time;        ///< because of its processor time
    atomic_uint_least64_t clock;     ///< the running thread, and its limit in milliseconds
    atomic_bool is_pushing;          ///< the watch is about to write to the running coroutine
    uint32_t untimed;                ///< current pieces of work without a limit of time
    struct {
      uint64_t progress;
      int64_t nanoseconds;
    } first_look;  ///< the run, and the processor time that its thread had used
  } watch;

  // Lines that have run (coverage.c)
  bool covers;
  latch_covered_file *covered;

  // Calls of the host (callbacks.c), and buffers that are in use only during a call
  struct {
    latch_callback callback;
    void *context;
    bool was_asked;  ///< since the outermost run began
  } host;
  latch_buffer out, reply, arguments, reason, scratch, patch, payload;
  latch_changes *changes;  ///< the changes that a writer asks for (apply.c); NULL: none

  // Failure (failure.c)
  struct {
    latch_status status;
    latch_buffer message, chunk, traceback, value;
    int line;
    bool incomplete, is_raised;
  } failure;
  /// True if the current error was raised on purpose: by a script's `error` or `assert`, or as the
  /// answer of a capability. The code that raises it sets this just before, and the code that
  /// catches it resets it; any other error is a fault of the script.
  bool is_raised;

  // Blocks of the host
  void **huge;  ///< the strings so long that the hook is called at each instruction
                ///< (long_strings.c)
  size_t huge_count, huge_capacity;
  int32_t reader_capacity;
  latch_reader *readers;
  size_t aside;  ///< bytes of arrays outside of Lua's memory that scripts can make grow
  latch_log log;
};

/// The contents of a VM when its image was stored (image.c).
struct latch_image {
  latch_blocks_image blocks;
  char fields[offsetof(latch_vm, image)];
  latch_reader *readers;
  int32_t reader_count;
  latch_covered_file *covered;  ///< the lines that had run
  latch_image *before;          ///< the image that is restored once this one is dropped
};

#endif
