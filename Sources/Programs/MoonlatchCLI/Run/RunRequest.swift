import LuaRuntime
import SharedCommands

/// The arguments of `moonlatch run`, as `RunCommand` describes them.
struct RunRequest {
  /// The arguments that select scenarios.
  struct Selecting {
    var filter: [String] = []
    var tag: String?
    var lastFailed = false
    var list = false
    var shard: String?
    var timings: [String] = []
  }

  /// The arguments for how scenarios run.
  struct Running {
    var jobs: Int?
    var failFast = false
    var `repeat` = 1
    var seed: UInt64?
    var shuffle = false
    var watch = false
    var debug = false
    var update = false
    var restarts = false
    var timeout: TimeSpan?
    var totalTimeout: TimeSpan?
    var live = false
    /// The argument of `--host-file`.
    var hostFile: String?
    var allowPrivate = false
    var allowCommands = false
  }

  /// The arguments for the output.
  struct Telling {
    var quiet = false
    var verbose = false
    var coverage = false
    /// The minimum coverage of each kind, in percent.
    var coverageMin: Double?
    var report: [ReportTarget] = []
  }

  var paths = ["."]
  var selecting = Selecting()
  var running = Running()
  var telling = Telling()
  var limits = Limits()

  /// Creates a request for all scenarios below the current folder.
  init() {}

  /// Parses a command line that is `run` and paths alone; returns nil for one with options.
  ///
  /// For any other command line the parser first inspects all commands and options, which takes as long as playing a
  /// scenario.
  init?(plain arguments: some Collection<String>) {
    let paths = arguments.dropFirst()
    guard arguments.first == "run", paths.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else {
      return nil
    }
    if !paths.isEmpty { self.paths = Array(paths) }
  }

  /// Runs the request.
  ///
  /// - Throws: the exit code if it is not 0.
  func run() throws {
    let status = try RunSession(self).run()
    if status != .success { throw status }
  }
}
