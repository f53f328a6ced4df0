import Scenarios

/// The mode in which the command is a worker process of another one.
enum Worker {
  static let word = "--worker"

  /// The command line that starts this program as a worker.
  static var command: [String] { [program, word] }

  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      CommandLine.arguments[0]
    #endif
  }

  /// Runs as a worker if the process was started as one, and returns true then.
  static func runIfAsked() -> Bool {
    guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == word else { return false }
    WorkerLoop.run()
    return true
  }
}
