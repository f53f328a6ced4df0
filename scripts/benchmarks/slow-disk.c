// Preloaded by "scripts/bench --sync": a disk that takes MILLISECONDS longer for what is to survive a power cut, as a
// disk without a cache does, so that journals are measured by how they wait, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
  struct timespec rest = {MILLISECONDS / 1000, MILLISECONDS % 1000 * 1000000L};
  while (nanosleep(&rest, &rest) != 0) {
  }
}

static int sync_by(const char *name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  wait_for_disk();
  return real(descriptor);
}

int fdatasync(int descriptor) { return sync_by("fdatasync", descriptor); }

int fsync(int descriptor) { return sync_by("fsync", descriptor); }
