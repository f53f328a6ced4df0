#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What this module remembers about one thread: what it holds and what it is making.
///
/// A record is reached with one look into thread-specific storage, and only ever read or written by
/// its own thread. Its address serves as the thread's identity, which is why a lock can be taken
/// and its owner recorded in one atomic step.
@usableFromInline
struct ThreadRecord {
  /// The turn that this thread took last and has not left, the head of a list through `Turn.below`.
  var top: Unmanaged<Turn>?
  /// The making that this thread began last, the head of a list through `Making.outer`.
  var making: Unmanaged<Making>?

  /// A record's address: the thread's identity.
  @usableFromInline typealias Address = UnsafeMutablePointer<ThreadRecord>

  /// Where threads keep their records.
  ///
  /// Reading a global constant costs a check that it was initialised, so what is used often keeps
  /// its own copy.
  static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { raw in free(raw) }
    return key
  }()

  /// The record of the thread that asks.
  static var current: Address { current(key) }

  /// The same, by a copy of `key`.
  @inline(__always)
  static func current(_ key: pthread_key_t) -> Address {
    if let raw = pthread_getspecific(key) {
      return raw.assumingMemoryBound(to: ThreadRecord.self)
    }
    return begin(key)
  }

  @inline(never)
  private static func begin(_ key: pthread_key_t) -> Address {
    let record = Address.allocate(capacity: 1)
    record.initialize(to: ThreadRecord())
    pthread_setspecific(key, record)
    return record
  }
}
