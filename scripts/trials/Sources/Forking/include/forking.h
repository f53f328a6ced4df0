/// Processes as copies of this one: Swift has no name for fork(2) on every system.

#ifndef FORKING_H
#define FORKING_H

/// As fork(2): 0 in the copy, its number in this process, -1 if there is none.
int forking_copy(void);

/// Waits for a copy that ends, and returns its number; -1 if there is none. `*ended_well` is 1 if it has ended by
/// itself with exit code 0, else 0.
int forking_wait(int *ended_well);

#endif
