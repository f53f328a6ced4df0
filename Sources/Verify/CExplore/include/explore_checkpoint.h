/// Saving a search, to continue it later in another process.
///
/// A checkpoint has all of it: slots, tries and what was learned, states, counts and findings. The
/// owner saves its own data (what slots and values stand for). Each part has a checksum. Only the
/// same build on the same kind of machine can read it.

#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "explore.h"

/// Takes, or gives, so many bytes. False: it cannot.
typedef bool explore_write_bytes(void *to, const void *bytes, size_t count);
typedef bool explore_read_bytes(void *from, void *bytes, size_t count);

/// How searches are saved, as a number: what says another one cannot be restored.
uint64_t explore_format(void);

/// Writes a search: when it does not run, or in `progress`. EXPLORE_STOPPED: `write` could not.
explore_status explore_save(const explore *search, explore_write_bytes *write, void *to);

/// Reads one into a search that was just opened and has nothing yet; `explore_run` then goes on,
/// and comes to what the search that was saved would have come to. `options.hashes` must be as it
/// was. EXPLORE_INCONSISTENT: what is read is not whole, or of another build; EXPLORE_STOPPED:
/// `read` could not give it. The search is to be closed then.
explore_status explore_restore(explore *search, explore_read_bytes *read, void *from);

#endif
