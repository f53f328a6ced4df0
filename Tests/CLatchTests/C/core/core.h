/// The core of CLatch on its own, with every block from the system, so that each can fail: what its tests
/// share. `run.sh` builds each `*_test.c` beside this with it and runs it, with `--sanitize` under the
/// address and leak sanitizers.

#ifndef TEST_CORE_H
#define TEST_CORE_H

#include "language/language.h"

// MARK: Allocations that fail

extern latch_vm *victim;  ///< the VM whose allocations fail, or NULL
extern long countdown;    ///< allocations that still succeed; negative: all of them
extern bool once;         ///< only one allocation fails
extern bool hard;         ///< also those that the host may not be refused

// MARK: Checks

extern const char *current;  ///< the test that runs

/// Counts a check, tells of one that does not hold, and gives whether it does.
bool check(bool fine, const char *what, const char *file, int line);
#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
#define RUN(call) (current = #call, call)

/// Says how many checks there were, and gives what `main` returns.
int finish(const char *name);

// MARK: A flow

extern const latch_run REDUCER, RULE;

/// A VM that has run a trusted chunk: it declares its state and leaves functions in `host`. NULL where
/// there is no memory for it.
latch_vm *open_flow(const char *source, size_t limit);

/// The function that the chunk left under that name.
latch_ref function(latch_vm *vm, const char *name);

/// A transition by that reducer: committed, or taken back.
latch_status dispatch(latch_vm *vm, const char *name);

/// The encoded state; the caller frees it.
latch_bytes state(latch_vm *vm);

bool same(latch_bytes a, latch_bytes b);

/// The last failure's message has that part.
bool failed_with(latch_vm *vm, const char *part);

/// The trusted function gives what it should.
bool is_true(latch_vm *vm, const char *name);

#endif
