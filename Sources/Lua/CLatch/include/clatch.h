/// CLatch: the wall between Swift and Lua.
///
/// No Lua type appears here. Every function returns; none raises. A Lua error, a limit that is hit
/// or memory that runs out becomes a `latch_status`, and `latch_failure` then tells about it.
/// A Swift callback returns a status too, and C raises the Lua error only after the Swift frame is
/// gone, so that no longjmp ever crosses Swift.

#ifndef CLATCH_H
#define CLATCH_H

#include "clatch_flow.h"
#include "clatch_vm.h"

#endif
