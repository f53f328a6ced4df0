#include <sqlite3.h>

#ifdef __linux__
#include <sys/vfs.h>

// The kind of file system that a folder is on, as statfs(2) numbers it; 0 if it does not say. (The
// Swift module of the C library does not know it.)
static inline unsigned csqlite_disk(const char *folder) {
  struct statfs disk;
  return statfs(folder, &disk) == 0 ? (unsigned)disk.f_type : 0;
}
#endif

// Swift cannot call functions with a variable number of arguments, nor macros that cast. For
// SQLite no address is NULL, for Swift it is what is empty.

static inline int csqlite_set(sqlite3 *database, int option, int on) {
  return sqlite3_db_config(database, option, on, (int *)0);
}

static inline int csqlite_bind_text(
  sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(
  sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
