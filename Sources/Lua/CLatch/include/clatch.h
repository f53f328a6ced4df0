/// CLatch: the boundary between Swift and Lua.
///
/// No type of Lua appears here. Every function returns; none raises. A Lua error, a limit that is
/// hit or lack of memory becomes a `latch_status`, which `latch_failure` then describes. A Swift
/// callback returns a status too: C raises the Lua error only after the Swift frame is gone, so no
/// longjmp ever crosses Swift.

#ifndef CLATCH_H
#define CLATCH_H

#include "clatch_flow.h"
#include "clatch_vm.h"

#endif
