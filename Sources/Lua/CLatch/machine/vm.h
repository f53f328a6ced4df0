/// A VM as one structure, so that an image of it is one copy (image.c). Its fields are grouped by
/// the floors that use them; what higher ones keep here is plain data, whose shape alone is known.

#ifndef LATCH_VM_H
#define LATCH_VM_H

#include <stdatomic.h>

#include "clatch.h"
#include "layout/layout.h"
#include "machine/log_parts.h"
#include "machine/reader_parts.h"
#include "machine/registry.h"

// MARK: Memory

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
  size_t slab_bytes, most;  ///< no more bytes of slabs than `most`; 0: any
  latch_large *large;
  // Of a VM cloned from a template (vm_template.c): its first block, and the memory that it
  // shares with others.
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

/// Why a run was ended.
typedef enum {
  LATCH_ALIVE,
  LATCH_OUT_OF_INSTRUCTIONS,
  LATCH_OUT_OF_MEMORY,
  LATCH_INTERRUPTED,
  LATCH_OUT_OF_COROUTINES,
  LATCH_OUT_OF_TIME,  ///< whoever watches it has asked it to end
  LATCH_OUT_OF_PROCESSOR_TIME,
  LATCH_OUT_OF_STACK,
  LATCH_OUT_OF_CALLS,
} latch_end;

/// The values that a run, or a piece of work, with its own budget has to put back.
typedef struct {
  int64_t budget, granted, most_instructions;
  uint32_t number;
  uint8_t share, surrounding;
  bool inherits;  ///< nothing: it goes on with the budget around it
} latch_grant;

/// The source of a run's budget.
typedef enum {
  LATCH_IN_NOTHING,  ///< nothing: it has its own
  LATCH_IN_SCRIPT,   ///< a script of the host's own, which pays for what it does itself only
  LATCH_IN_WORK,     ///< a piece of work, or a script of the flow's: its budget is part of that
} latch_surrounding;

/// So many functions of a flow are known to run without the hook or not to.
enum { LATCH_KNOWN_FUNCTIONS = 512 };

// MARK: The state

/// How many places have a bit that says whether they were ever read.
enum { LATCH_READ_PLACES = 256 };

// MARK: The language

/// The declarators of a flow, each a table that knows how to handle it (declarators.c).
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
typedef struct latch_image latch_image;
typedef struct latch_notes latch_notes;
typedef struct latch_trace latch_trace;

struct latch_vm {
  lua_State *L;  ///< the main thread: protected C work only, never a script

  // MARK: Machine

  // alloc.c
  struct {
    char *first_block;  ///< what Lua allocated first: its own state
    size_t first_size;
    latch_blocks blocks;
    size_t used, peak, limit;
    uint64_t allocated;      ///< bytes that Lua ever asked for
    unsigned refusals;       ///< in this run
    bool deep;               ///< one of them came when calls filled the memory
    unsigned refused;        ///< ever, to tell a full stack from a full memory
    size_t grown_from;       ///< the slots of a stack that may grow; 0: none did since the hook
    lua_State *grown;        ///< whose that is
    bool has_grown;          ///< it did already
    bool has_large_vectors;  ///< there was one: an array, a hash or a stack
  } memory;
  int unlimited;  ///< while above 0 the limit of memory is not asked: a rollback must not fail

  // budget.c
  struct {
    int64_t left, granted, total;
    int64_t most;                 ///< what it was at first, as messages name it
    int64_t last_used;            ///< instructions, by what had one of its own last
    uint32_t surrounding, works;  ///< what runs stand in (latch_surrounding), how much is under way
    latch_grant outside[LATCH_MAX_WORKS];  ///< of each
    uint32_t grant;                        ///< the number of this one, to tell it from others
    uint32_t grants;                       ///< how many were given
  } budget;

  // The code that runs (budget.c)
  latch_phase phase;
  struct {
    int depth;       ///< how many runs stand inside each other
    uint32_t begun;  ///< how many outermost ones there were, to tell one from the next
    latch_end end;
    lua_State *thread;  ///< the coroutine of the run
    /// It, or the script's coroutine that it has resumed, which counts its calls on from there and
    /// which the allocator ends. The ground while nothing runs.
    lua_State *current;
    const void *stack;  ///< where the outermost run stands on the C stack
    char end_chunk[512];
    int end_line;
  } run;
  struct {
    int period;             ///< of the coroutine that runs; 0 where nothing is counted
    bool huge_uncounted;    ///< there was no memory to remember a huge string
    bool has_long_strings;  ///< one was made that is not huge, but long
    bool has_metatables;    ///< a script has set one
    uint32_t looks;         ///< how often it came by in this run
    bool is_cut;            ///< the period under way was cut short
    lua_State *looked;      ///< it was asked to come by out of turn on this thread
    int left, weight;       ///< when it would have come by, and for how many it charges then
    size_t most_probes;     ///< slots that a number was looked for in vain in, if they are many
    size_t longest_text;    ///< of those that were compiled here
  } hook;

  // Other limits (limits.c)
  latch_limits limits;
  int32_t coroutines;  ///< those of scripts that are neither dead nor collected

  // MARK: Values

  const void *list_mark, *map_mark, *leaf_mark, *empty_mark;
  const void *index_name, *newindex_name;  ///< Lua's strings "__index" and "__newindex"
  const void *event_names[LATCH_EVENTS], *tostring_name, *pairs_name;  ///< those of metamethods
  /// The functions that guard tables of the state from writes, by which those are recognized
  /// (kinds.c). `recorder` also pushes the data behind a recording node. They are of the state's
  /// layer (open.c).
  struct {
    lua_CFunction node, recorder;
    lua_CFunction read;  ///< by which nodes are read; NULL: inside Lua's VM
  } guards;
  /// Tables of the state, recorders and frozen tables are equal where they hold the same, since
  /// a function was given that says so (LATCH_R_EQUALITY): in documents of SCXML.
  bool compares_contents;
  lua_CFunction call_stub;  ///< calls what answers in a capability's place (scope_instances.c)
  lua_CFunction find;       ///< string.find, which belongs to a floor above
  void (*push_recorded_data)(lua_State *L, int index, bool is_length);
  lua_CFunction search_stored_nodes;  ///< before effects run (stored_nodes.c); NULL: not needed
  void (*on_whole_read)(latch_vm *vm, const void *node);  ///< of nodes, where runs are traced
  void (*on_length_read)(latch_vm *vm, const void *node);
  const void *declarators[LATCH_DECLARATORS];  ///< their addresses, to know them by

  // MARK: Runs

  int32_t kept;  ///< how many functions and names of the flow the host keeps (kept.c)
  // A bit for each of the first of them:
  uint64_t without_hook[LATCH_KNOWN_FUNCTIONS / 64];  ///< whether it needs none
  uint64_t
    reads_payload[LATCH_KNOWN_FUNCTIONS / 64];  ///< whether it does no more than that with it
  bool payload_is_known;                        ///< its bytes are those in `payload`
  bool payload_is_frozen;                       ///< it may be anywhere
  uint32_t payload_fields;                      ///< how many it has, where it may be refilled
  uint32_t payload_shape;                       ///< the number of its shape; 0: it has none
  uint32_t payload_shapes;                      ///< how many there are
  lua_State *threads[LATCH_MAX_RUNS];

  // task.c
  struct {
    lua_State *thread;    ///< the coroutine of the effect that runs, if one does
    bool waiting;         ///< it has asked to wait
    bool closing;         ///< a coroutine is being closed: nothing may wait
    latch_answer answer;  ///< what becomes of what it waited for
    latch_task next;
  } task;

  // MARK: The state

  size_t state_bound;  ///< the encoded state is no larger than that
  bool state_is_full;  ///< it has to be measured before the transition may stand
  lua_Integer undo_log_count;
  lua_Integer told_entries;  ///< how many of them readers know of (reads.c)
  bool in_transaction;
  const void *root;  ///< the root node's address, to know it by
  bool structural;   ///< a table came, went or moved
  bool aliased;      ///< a node was put into a second place
  bool moved;        ///< a node that stood nowhere has moved with a table of a script's
  bool spliced;      ///< a list's elements have moved
  bool doubled;      ///< a list may hold a node twice: where each is at home must be kept exact
  bool host_writes;  ///< the host itself writes: machines' fields too
  const latch_types *types;  ///< what may stand in it; NULL: nothing of it is typed
  uint32_t root_type;        ///< that of the state itself
  latch_ref ending;          ///< the reducer that runs or has ended, LATCH_NO_REF for the host
  lua_Integer promoted;      ///< the undo log's entries that were adopted since as functions ended
  bool has_floating;         ///< one of them stands in a node that stands nowhere
  bool has_grown;            ///< a table of limited length was made longer or shorter
  bool keeps_kinds;  ///< a patch is decoded: an empty table of no kind is to be one in the state
  uint64_t machine_fields;  ///< a bit for the name of each field of a machine: others may share it

  // Machines for records (records.c)
  bool has_records;        ///< there are any
  uint64_t record_fields;  ///< as `machine_fields`, of records
  struct {
    uint32_t candidates;  ///< how many nodes may be records that have come or gone
    bool is_noted;        ///< something is known of nodes
    uint32_t changes;     ///< how many a rollback takes back
    uint32_t settled;     ///< the writes of the log that were there when it was looked at last
    uint32_t notes;       ///< how many the host has yet to hear of
    uint32_t selected;    ///< how many records were selected
    uint32_t focused;     ///< the one whose arguments are at hand, or 0
    int32_t focused_machine, focused_arguments;
    bool go_on;        ///< machines of some may go on unasked
    uint32_t touched;  ///< how many the transition under way has changed
    uint32_t asked;    ///< the writes of the log that were there when it was asked last
    bool by_host;      ///< the host writes in the transition under way
  } records;
  int32_t record_arguments;  ///< how many functions get besides: a record and its keys
  bool only_record;          ///< they get the record alone

  // Readers (readers.c)
  bool views_are_elsewhere;  ///< another VM's text took over: effects ask the host for views
  int32_t reader_count;
  int32_t recording;   ///< the reader that runs now, or LATCH_NO_READER
  int64_t read_again;  ///< how many reads at the beginning of its list it has made so far
  struct {
    const void *walked;  ///< the node that it has walked through last
    const void *node;    ///< that of which it has read an element last, and which
    lua_Integer index, steps;
  } walk;
  uint64_t read_places[LATCH_READ_PLACES / 64];  ///< a bit for each place that was ever read
  bool has_read;                                 ///< there is any
  struct {
    int32_t from, end;  ///< the readers that are conditions of machines
    bool touched;       ///< one that was not stale has become so, or a transition was rolled back
    uint64_t fields;    ///< a bit for each field that a plain one reads (conditions.c)
  } conditions;
  int32_t touched;    ///< the first of those that became stale, as long as the host has not asked
  int32_t undecided;  ///< the first of those of which the end of the transition under way decides

  // MARK: The library and the language

  struct {
    bool globals_frozen;  ///< no script can set one any more (sandbox.c)
    bool has_prelude;     ///< the globals of the prelude are there (prelude.c)
    bool is_checking;     ///< declarations are looked at, and the flow runs no further (checking.c)
    bool has_loaded;      ///< nothing can be declared any more (loading.c)
    int view_count;       ///< how many views are declared so far
    lua_Integer last_clean_up;
  } flow;

  // MARK: What an image leaves alone

  // From here on: what going back to one does not touch, or sees to by itself (image.c).
  latch_image *image;
  latch_notes *notes;           ///< of each block, if a template is to be made (notes.c)
  latch_template *vm_template;  ///< that from which the VM was cloned
  atomic_bool interrupt;
  latch_trace *trace;    ///< what is told of runs that are traced; NULL: none is
  bool trace_is_paused;  ///< the barrier itself looks at the state

  // The watch of the time (watch.c)
  struct {
    uint64_t number;  ///< no other VM of the process has it
    latch_vm *next, *previous;
    atomic_uint_least64_t progress;  ///< changes with each run that begins or ends
    atomic_uint_least64_t overdue;   ///< the progress at which a run was asked to end
    atomic_bool is_over_time;        ///< because of its processor time
    atomic_uint_least64_t clock;     ///< the thread of what runs, and its limit in milliseconds
    atomic_bool is_pushing;          ///< the watch is about to write to the coroutine that runs
    uint32_t untimed;                ///< pieces of work under way that may take any time
    struct {
      uint64_t progress;
      int64_t nanoseconds;
    } first_look;  ///< at what runs, and the processor time that its thread had used
  } watch;

  // Lines that have run (coverage.c)
  bool covers;
  latch_covered_file *covered;

  // Calls of the host (callbacks.c), and buffers that hold something during a call only
  struct {
    latch_callback callback;
    void *context;
    bool was_asked;  ///< since the outermost run began
  } host;
  latch_buffer out, reply, arguments, reason, scratch, patch, payload;

  // Failure (failure.c)
  struct {
    latch_status status;
    latch_buffer message, chunk, traceback, value;
    int line;
    bool incomplete, is_raised;
  } failure;
  /// True if the error on its way was raised on purpose: by a script's `error` or `assert`, or by
  /// what a capability answered. Who raises it says so just before, and who catches it takes that
  /// back; any other error is a fault of the script.
  bool is_raised;

  // Blocks of the host's own
  void **huge;  ///< the strings so long that the hook looks at each instruction (long_strings.c)
  size_t huge_count, huge_capacity;
  int32_t reader_capacity;
  latch_reader *readers;
  size_t aside;  ///< bytes of arrays outside of Lua's memory that scripts make grow
  latch_log log;
};

/// The contents of a VM when its image was kept (image.c).
struct latch_image {
  latch_blocks_image blocks;
  char fields[offsetof(latch_vm, image)];
  latch_reader *readers;
  int32_t reader_count;
  latch_image *before;  ///< the image that is gone back to once this one is dropped
};

#endif
