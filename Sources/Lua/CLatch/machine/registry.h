/// The keys in the registry of a VM that all layers use.

#ifndef LATCH_REGISTRY_H
#define LATCH_REGISTRY_H

/// The depth of nested runs: a scenario calls the host, which runs a gate rule, and so on.
enum { LATCH_MAX_RUNS = 16, LATCH_MAX_WORKS = 16 };

/// Well-known values in the registry, at fixed integer keys that are set once in latch_open.
enum {
  LATCH_R_STATE = 4,   ///< the root node (the first free key: small ones are in an array)
  LATCH_R_STATE_DATA,  ///< its data
  LATCH_R_PAYLOAD,   ///< the payload of the current action, once something may keep it (payload.c)
  LATCH_R_UNDO_LOG,  ///< the undo log of the current transaction (undo_log.c)
  LATCH_R_LIST,      ///< the metatable that marks the data of a list
  LATCH_R_MAP,       ///< the metatable that marks the data of a map
  LATCH_R_LEAF,      ///< the same for a map that holds no tables
  LATCH_R_EMPTY,     ///< the metatable that marks an empty table of unknown kind
  LATCH_R_KILLED,    ///< the message that a killed run raises
  LATCH_R_EMPTY_PAYLOAD,
  LATCH_R_DEPENDENTS,    ///< node -> key -> readers (reads.c)
  LATCH_R_READERS,       ///< reader -> { function, value, reads } (see LATCH_READER_FUNCTION)
  LATCH_R_PRELUDE,       ///< the globals of trusted chunks
  LATCH_R_GLOBALS,       ///< the data of the scripts' globals
  LATCH_R_ENVIRONMENT,   ///< the proxy that scripts have as _ENV
  LATCH_R_STRING_INDEX,  ///< "__index", stored for fast look-ups
  LATCH_R_STRING_NEWINDEX,
  LATCH_R_TASKS,    ///< number -> coroutine of an effect
  LATCH_R_NO_MODE,  ///< the replacement of "__mode" (weak.c)
  LATCH_R_RAISED,   ///< the error of the effect whose run has just failed (task.c)
  // The flow's declarations in this VM (declarators.c); false if there is none of a kind.
  LATCH_R_INITIAL,   ///< the initial state, until the flow has loaded
  LATCH_R_REDUCERS,  ///< name -> function
  LATCH_R_GATES,
  LATCH_R_VIEWS,
  LATCH_R_INVARIANTS,
  LATCH_R_VIEW_READERS,    ///< name -> the view's number, and once it was read, the function that
                           ///< reads it
  LATCH_R_CHECKS,          ///< the checks of declarations, if the flow is only checked
  LATCH_R_TYPES,           ///< the metatable of types that were made
  LATCH_R_GATEKEEPERS,     ///< name -> the handle of gatekeeper.NAME
  LATCH_R_POLICIES,        ///< the names of the declared gatekeepers
  LATCH_R_NAMED_STATES,    ///< path -> the field with that state, once a script has asked
                           ///< (in_state.c)
  LATCH_R_OTHER_STATE,     ///< the copy of another state that in_state accepts
  LATCH_R_MACHINES,        ///< their names in order, until the flow has loaded
  LATCH_R_FACTORIES,       ///< scope -> name -> function
  LATCH_R_INSTANCES,       ///< number -> instance of a scope, until it closes (scope_instances.c)
  LATCH_R_MAKING,          ///< coroutine -> the objects that it is making
  LATCH_R_CLEAN_UPS,       ///< number -> deferred function
  LATCH_R_MODULES,         ///< name -> the result of the module
  LATCH_R_MODULE_VALUES,   ///< the results in order, until the flow has loaded
  LATCH_R_MODULE_SOURCES,  ///< source of a module's chunk -> true, until the flow has loaded
  LATCH_R_MODULE_GLOBALS,  ///< the _G of modules (module_globals.c)
  LATCH_R_PAYLOAD_FIELDS,  ///< the contents of the payload
  // The fields that actions declare (run/payload_shapes.c); false if nothing is declared.
  LATCH_R_PAYLOAD_SHAPES,   ///< number -> shape of a record or of a collection of a payload
  LATCH_R_PAYLOAD_NAMES,    ///< name -> true for each field of each payload
  LATCH_R_PAYLOAD_READERS,  ///< functions and the shapes of the fields that they may read, in turn
  // Machines for records (state/records.c)
  LATCH_R_SHAPES,            ///< number of a type of tables -> its shape (shapes.c)
  LATCH_R_PUTS,              ///< the undo log's entry -> the place of that table, if it is typed
  LATCH_R_GROWN,             ///< node of limited length -> the place of its last write
  LATCH_R_RECORD_MACHINES,   ///< the outermost position, and the machines
  LATCH_R_CANDIDATES,        ///< the nodes that may be added or removed records
  LATCH_R_RECORD_CHANGES,    ///< the marks and counts that a rollback restores
  LATCH_R_RECORD_NOTES,      ///< the changes of records that the host has yet to be told
  LATCH_R_SELECTED,          ///< the records that an action concerns
  LATCH_R_TOUCHED_RECORDS,   ///< the records that the current transaction has changed
  LATCH_R_RECORD_ARGUMENTS,  ///< the record that functions get, and its keys
  LATCH_R_STRING_TOSTRING,   ///< "__tostring"
  LATCH_R_STRING_PAIRS,      ///< "__pairs"
  LATCH_R_EQUALITY,          ///< the function that compares tables of the host (frozen.c), or nil
  LATCH_R_PLACES,            ///< the functions and tables in which nodes may be (stored_nodes.c)
  LATCH_R_THREADS,           ///< one coroutine for each depth of runs
  LATCH_R_ANCHORS =
    LATCH_R_THREADS + LATCH_MAX_RUNS,  ///< the values that the log refers to (log.c)
  LATCH_R_END,
};

#endif
