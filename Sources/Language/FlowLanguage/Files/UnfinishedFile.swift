import Platform
import Synchronization

/// A temporary file that is renamed when it is complete, and removed otherwise.
///
/// After `removeOnSignals` it is also removed if a signal ends the process. Signal handlers read the paths, so they
/// are copied into memory that is never freed. It consists of slots, and the state of each says if it holds a path.
package final class UnfinishedFile {
  /// The path, in the folder of the final file, with a name that is new and cannot be guessed.
  package let path: String
  private let slot: Int?

  /// Chooses the path, without creating the file.
  package convenience init(beside path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var generator = SystemRandomNumberGenerator()
    self.init(at: "\(folder).moonlatch-\(getpid())-\(String(generator.next(), radix: 16))")
  }

  /// Creates an owner for a file at the path, which something else creates and which is removed at the end.
  package init(at path: String) {
    self.path = path
    slot = Slot.fill(with: path)
  }

  deinit {
    unlink(path)
    if let slot { Slot.all[slot].state.store(Slot.empty, ordering: .releasing) }
  }

  /// Removes all unfinished files, because the process is about to end.
  package static func removeAll() {
    for index in 0..<Slot.count where Slot.all[index].state.load(ordering: .acquiring) == Slot.full
    {
      unlink(Slot.all[index].path)
    }
  }

  /// Installs handlers that remove all unfinished files on signals that end the process; ignored signals stay
  /// ignored.
  package static func removeOnSignals() {
    _ = Slot.all  // made before a signal can come
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ] {
      var action = sigaction()
      sigaction(number, nil, &action)
      let end: @convention(c) (Int32) -> Void = {
        UnfinishedFile.removeAll()
        // The signal is blocked until this handler returns, and then has its default effect.
        signal($0, SIG_DFL)
        raise($0)
      }
      #if canImport(Darwin)
        if isIgnoring(action.__sigaction_u.__sa_handler) { continue }
        action.__sigaction_u.__sa_handler = end
      #else
        if isIgnoring(action.__sigaction_handler.sa_handler) { continue }
        action.__sigaction_handler.sa_handler = end
      #endif
      sigaction(number, &action, nil)
    }
  }

  private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private struct Slot: ~Copyable {
    /// The number of slots; a file without one is not removed when a signal ends the process.
    static let count = 32
    private static let longest = 4_096
    static let empty: UInt8 = 0
    private static let filling: UInt8 = 1
    static let full: UInt8 = 2

    let state = Atomic(Slot.empty)
    let path = UnsafeMutablePointer<CChar>.allocate(capacity: Slot.longest + 1)

    /// All slots, which are never moved or freed.
    ///
    /// `nonisolated(unsafe)` is correct because a path is written by the thread that has taken its slot, and read
    /// only when the slot's state is `full`.
    nonisolated(unsafe) static let all: UnsafeMutablePointer<Slot> = {
      let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
      for index in 0..<count { (slots + index).initialize(to: Slot()) }
      return slots
    }()

    static func fill(with path: String) -> Int? {
      guard path.utf8.count <= longest else { return nil }
      for index in 0..<count {
        let isOurs = all[index].state.compareExchange(
          expected: empty, desired: filling, ordering: .acquiring
        ).exchanged
        guard isOurs else { continue }
        for (place, byte) in (Array(path.utf8) + [0]).enumerated() {
          all[index].path[place] = CChar(bitPattern: byte)
        }
        all[index].state.store(full, ordering: .releasing)
        return index
      }
      return nil
    }
  }
}
