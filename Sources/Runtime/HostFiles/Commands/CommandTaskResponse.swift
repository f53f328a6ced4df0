/// The end of a run of a program.
package enum CommandTaskResponse: Sendable, Hashable {
  /// The program has exited with this code; of standard error there is the beginning.
  case exited(code: Int, output: [UInt8], error: [UInt8])
  /// A signal has ended the program.
  case signaled(Int, error: [UInt8])
  /// The program did not end in time, or could not be started for now: another try may succeed.
  case failed(String)
  /// The program cannot be started, or its output is too large: no try succeeds.
  case refused(String)
  /// The task was cancelled.
  case interrupted
}
