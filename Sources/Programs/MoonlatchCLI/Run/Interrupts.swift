import Platform
import Synchronization

/// The signals that ask the process to end; they are recorded so that a run can stop cleanly and write its reports.
enum Interrupts {
  private static let received = Atomic<Int32>(0)

  /// The signal that was received, or 0.
  static var signal: Int32 { received.load(ordering: .relaxed) }

  /// Records signals from now on, instead of ending the process.
  ///
  /// These are Ctrl-C, `kill`, a closed terminal, Ctrl-\\, a file at the maximum size of files, and an output that
  /// nobody reads any more.
  static func watch() {
    // The variable is initialized before a signal can come, because a handler must not be the first to use it.
    _ = received.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGPIPE] {
      var action = sigaction()
      // SA_RESTART is not set, so that blocked calls wake up.
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
