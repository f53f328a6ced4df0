import Scenarios

/// The command as a worker of another one.
enum Worker {
  static let word = "--worker"

  /// How this very program is started as a worker.
  static var command: [String] { [program, word] }

  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      CommandLine.arguments[0]
    #endif
  }

  /// Works, when the process was started for that.
  static func runIfAsked() -> Bool {
    guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == word else { return false }
    WorkerLoop.run()
    return true
  }
}
