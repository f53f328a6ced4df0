// Records the operations of a process on the files of a folder, in order, for scripts/faults;
// loaded before the C library.
//
//   JOURNAL_FOLDER=/scratch JOURNAL_TRACE=/elsewhere/trace   notes each write, sync, truncation and
//   removal there JOURNAL_FAILING_SYNC=7                                   the 7th sync there
//   fails, once
//
// A note is a head (what, the file's number, a length, an offset) and what belongs to it: the
// file's name where it is opened first, the bytes of a write. Files that SQLite makes anew at each
// start (-shm) are left out.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPENED, WRITTEN, SYNCED, TRUNCATED, REMOVED, FAILED };
enum { most_descriptors = 4096, most_files = 64 };

struct head {
  uint32_t what, file;
  uint64_t length, offset;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static const char *folder;
static long syncs, failing_sync;
static char *names[most_files];
static int files[most_descriptors];  // the file's number and 1

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int), (*real_fdatasync)(int), (*real_close)(int);
static int (*real_ftruncate)(int, off_t), (*real_unlink)(const char *);
static int (*real_open)(const char *, int, ...);

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_close = dlsym(RTLD_NEXT, "close");
  real_open = dlsym(RTLD_NEXT, "open64");
  const char *count = getenv("JOURNAL_FAILING_SYNC"), *path = getenv("JOURNAL_TRACE");
  if (count) failing_sync = atol(count);
  folder = getenv("JOURNAL_FOLDER");
  if (path) trace = real_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void note(uint32_t what, int file, uint64_t length, uint64_t offset, const void *bytes) {
  if (trace < 0 || file < 0) return;
  struct head head = {what, (uint32_t)file, length, offset};
  if (real_write(trace, &head, sizeof head) != sizeof head) abort();
  if (bytes && real_write(trace, bytes, length) != (ssize_t)length) abort();
}

// The number of a file of the folder, -1 of another one.
static int number(const char *path, int makes) {
  if (!folder || strncmp(path, folder, strlen(folder)) != 0) return -1;
  const char *name = path + strlen(folder);
  size_t length = strlen(name);
  if (!*name)
    name = "/.", length = 2;  // the folder itself: syncing it keeps names, and what was removed
  if (*name != '/' || (length > 4 && strcmp(name + length - 4, "-shm") == 0)) return -1;
  for (int file = 0; file < most_files; file++) {
    if (names[file] && strcmp(names[file], name + 1) == 0) return file;
    if (names[file]) continue;
    if (!makes) return -1;
    names[file] = strdup(name + 1);
    note(OPENED, file, length - 1, 0, name + 1);
    return file;
  }
  abort();
}

static int file_of(int descriptor) {
  return descriptor >= 0 && descriptor < most_descriptors ? files[descriptor] - 1 : -1;
}

static int opened(const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&mutex);
  int descriptor = real_open(path, flags, mode);
  int reason = errno;
  if (descriptor >= 0 && descriptor < most_descriptors) {
    files[descriptor] = number(path, 1) + 1;
    if (flags & O_TRUNC) note(TRUNCATED, file_of(descriptor), 0, 0, NULL);
  }
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return descriptor;
}

#define MODE(flags)                                                                                \
  mode_t mode = 0;                                                                                 \
  if ((flags)&O_CREAT) {                                                                           \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode = va_arg(list, unsigned);                                                                 \
    va_end(list);                                                                                  \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return opened(path, flags, mode);
}

int close(int descriptor) {
  pthread_mutex_lock(&mutex);
  if (descriptor >= 0 && descriptor < most_descriptors) files[descriptor] = 0;
  int result = real_close(descriptor), reason = errno;
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (file_of(descriptor) < 0) return real_pwrite(descriptor, bytes, count, offset);
  pthread_mutex_lock(&mutex);
  ssize_t written = real_pwrite(descriptor, bytes, count, offset);
  int reason = errno;
  if (written > 0) note(WRITTEN, file_of(descriptor), (uint64_t)written, (uint64_t)offset, bytes);
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (file_of(descriptor) < 0) return real_write(descriptor, bytes, count);
  pthread_mutex_lock(&mutex);
  ssize_t written = real_write(descriptor, bytes, count);
  int reason = errno;
  off_t end = lseek(descriptor, 0, SEEK_CUR);
  if (written > 0)
    note(WRITTEN, file_of(descriptor), (uint64_t)written, (uint64_t)(end - written), bytes);
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return written;
}

static int synced(int descriptor, int (*sync)(int)) {
  if (file_of(descriptor) < 0) return sync(descriptor);
  pthread_mutex_lock(&mutex);
  int result = -1, reason = EIO;
  if (++syncs != failing_sync) {
    result = trace < 0 ? sync(descriptor) : 0;  // what is noted need not wait for a disk
    reason = errno;
    if (result == 0) note(SYNCED, file_of(descriptor), 0, 0, NULL);
  } else {
    note(FAILED, file_of(descriptor), 0, 0, NULL);
  }
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return result;
}

int fsync(int descriptor) { return synced(descriptor, real_fsync); }

int fdatasync(int descriptor) { return synced(descriptor, real_fdatasync); }

int ftruncate64(int descriptor, off_t length) {
  pthread_mutex_lock(&mutex);
  int result = real_ftruncate(descriptor, length), reason = errno;
  if (result == 0) note(TRUNCATED, file_of(descriptor), 0, (uint64_t)length, NULL);
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return result;
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int unlink(const char *path) {
  pthread_mutex_lock(&mutex);
  int result = real_unlink(path), reason = errno;
  if (result == 0) note(REMOVED, number(path, 0), 0, 0, NULL);
  pthread_mutex_unlock(&mutex);
  errno = reason;
  return result;
}
