/// A VM for the tests: the real one, with `emit` as a global of its scripts.

#ifndef TEST_HOST_H
#define TEST_HOST_H

#include "library/library.h"

/// Opens a VM with that limit, or ends the program.
latch_vm *test_open(size_t memory_limit);

/// Sets a global of scripts to an integer.
void test_set_integer(latch_vm *vm, const char *name, lua_Integer value);

/// Makes a C function a global of scripts.
void test_set_function(latch_vm *vm, const char *name, lua_CFunction function);

/// Runs a text as a script.
latch_status test_run(
  latch_vm *vm, const char *text, size_t length, const char *name, latch_run options);

/// Runs a text as a script of ten million instructions at most.
latch_status test_run_script(latch_vm *vm, const char *text);

/// The VM still does what a good script wants.
bool test_answers(latch_vm *vm);

/// The message of the last failure, as a C string that is valid until the next call.
const char *test_message(const latch_vm *vm);

#endif
