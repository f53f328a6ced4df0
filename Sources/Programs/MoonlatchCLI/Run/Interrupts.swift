import Platform
import Synchronization

/// Signals that ask for an end, noted so that a run can stop in good order and write its reports.
enum Interrupts {
  private static let received = Atomic<Int32>(0)

  /// The signal that has come, or 0.
  static var signal: Int32 { received.load(ordering: .relaxed) }

  /// From now on they are noted instead of ending the process: Ctrl-C, `kill`, a terminal that is gone, Ctrl-\\, a file
  /// that has become as long as files may, and an output that nobody reads any more.
  static func watch() {
    // Made before a signal can come: a handler must not be the first to use it.
    _ = received.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGPIPE] {
      var action = sigaction()
      // Without SA_RESTART, so that whoever waits wakes up.
      let note: @convention(c) (Int32) -> Void = {
        Interrupts.received.store($0, ordering: .relaxed)
      }
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = note
      #else
        action.__sigaction_handler.sa_handler = note
      #endif
      sigaction(number, &action, nil)
    }
  }
}
