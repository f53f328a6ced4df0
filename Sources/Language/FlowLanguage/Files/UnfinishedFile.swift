import Platform
import Synchronization

/// A file that gets the name of another one when it is whole, and is removed if it does not.
///
/// A process that calls `removeOnSignals` removes it also where a signal ends it. Signal handlers read the paths, so
/// they are copied into memory that is never freed: a slot each, of which its state says whether it holds a path.
package final class UnfinishedFile {
  /// Its place: in the folder of the other one, under a name that nobody has made, nor can guess.
  package let path: String
  private let slot: Int?

  /// Chooses the path; makes no file.
  package convenience init(beside path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var generator = SystemRandomNumberGenerator()
    self.init(at: "\(folder).moonlatch-\(getpid())-\(String(generator.next(), radix: 16))")
  }

  /// Removes a file that something else makes beside one.
  package init(at path: String) {
    self.path = path
    slot = Slot.fill(with: path)
  }

  deinit {
    unlink(path)
    if let slot { Slot.all[slot].state.store(Slot.empty, ordering: .releasing) }
  }

  /// Removes all that there are: the process is about to end.
  package static func removeAll() {
    for index in 0..<Slot.count where Slot.all[index].state.load(ordering: .acquiring) == Slot.full
    {
      unlink(Slot.all[index].path)
    }
  }

  /// Has signals that end the process remove them first; those that are ignored are left alone.
  package static func removeOnSignals() {
    _ = Slot.all  // made before a signal can come
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ] {
      var action = sigaction()
      sigaction(number, nil, &action)
      let end: @convention(c) (Int32) -> Void = {
        UnfinishedFile.removeAll()
        // It is blocked until this returns, and then does what it does.
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
    /// A file without one stays where a signal ends the process.
    static let count = 32
    private static let longest = 4_096
    static let empty: UInt8 = 0
    private static let filling: UInt8 = 1
    static let full: UInt8 = 2

    let state = Atomic(Slot.empty)
    let path = UnsafeMutablePointer<CChar>.allocate(capacity: Slot.longest + 1)

    /// `nonisolated(unsafe)`: the slots never move or go; a path is written by the thread that has taken its slot, and
    /// read only once the slot's state says that it is there.
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
