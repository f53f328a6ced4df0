#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The record of one thread in this module: the turns that it holds and the factories that it runs.
///
/// A record is found with one access to thread-specific storage, and only its own thread reads or writes it. Its
/// address is the thread's identity, so a lock can be acquired and its owner recorded in one atomic step.
@usableFromInline
struct ThreadRecord {
  /// The turn that this thread took last and still holds; the head of a list through `Turn.below`.
  var top: Unmanaged<Turn>?
  /// The factory call that this thread began last; the head of a list through `Making.outer`.
  var making: Unmanaged<Making>?

  /// The address of a record, which is the thread's identity.
  @usableFromInline typealias Address = UnsafeMutablePointer<ThreadRecord>

  /// The key of the thread-specific storage for records.
  ///
  /// Reading a global constant costs a check that it is initialised, so types that are used often keep a copy.
  static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { raw in free(raw) }
    return key
  }()

  /// The record of the calling thread.
  static var current: Address { current(key) }

  /// Returns the record of the calling thread, by a copy of `key`.
  @inline(__always)
  static func current(_ key: pthread_key_t) -> Address {
    if let raw = pthread_getspecific(key) {
      return raw.assumingMemoryBound(to: ThreadRecord.self)
    }
    return createRecord(key)
  }

  @inline(never)
  private static func createRecord(_ key: pthread_key_t) -> Address {
    let record = Address.allocate(capacity: 1)
    record.initialize(to: ThreadRecord())
    pthread_setspecific(key, record)
    return record
  }
}
