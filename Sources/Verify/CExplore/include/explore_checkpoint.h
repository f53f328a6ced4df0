/// Saving a search, to continue it later in another process.
///
/// A checkpoint has the whole search: slots, tries with leaves, states, counts and findings. The
/// owner saves its own data (what slots and values stand for). Each part has a checksum. Only the
/// same build on the same kind of machine can read it.

#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "explore.h"

/// Write or read so many bytes. Return false on failure.
typedef bool explore_write_bytes(void *to, const void *bytes, size_t count);
typedef bool explore_read_bytes(void *from, void *bytes, size_t count);

/// Returns the number of the format. A checkpoint of another format cannot be restored.
uint64_t explore_format(void);

/// Writes a search that is not running, or is in `progress`. EXPLORE_STOPPED: `write` failed.
explore_status explore_save(const explore *search, explore_write_bytes *write, void *to);

/// Reads a checkpoint into a search that was just opened and is empty. `explore_run` then continues
/// it, with the result that the saved search would have had. `options.hashes` must have the same
/// value. EXPLORE_INCONSISTENT: the checkpoint is damaged, or of another build; EXPLORE_STOPPED:
/// `read` failed. Close the search after an error.
explore_status explore_restore(explore *search, explore_read_bytes *read, void *from);

#endif
