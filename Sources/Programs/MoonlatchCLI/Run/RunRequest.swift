import LuaRuntime
import SharedCommands

/// What `moonlatch run` is asked to do: its arguments, as `RunCommand` describes them.
struct RunRequest {
  /// Which scenarios of the files.
  struct Selecting {
    var filter: [String] = []
    var tag: String?
    var lastFailed = false
    var list = false
    var shard: String?
    var timings: [String] = []
  }

  /// How they run.
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
  }

  /// What is told, and where.
  struct Telling {
    var quiet = false
    var verbose = false
    var coverage = false
    /// How many percent of each kind have to be exercised.
    var coverageMin: Double?
    var report: [ReportTarget] = []
  }

  var paths = ["."]
  var selecting = Selecting()
  var running = Running()
  var telling = Telling()
  var limits = Limits()

  /// Everything below the current folder.
  init() {}

  /// The request of a command line that is `run` and paths alone; nil for one with options.
  ///
  /// To read any other the parser first looks at all that there could be, which takes as long as
  /// playing a scenario does.
  init?(plain arguments: some Collection<String>) {
    let paths = arguments.dropFirst()
    guard arguments.first == "run", paths.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else {
      return nil
    }
    if !paths.isEmpty { self.paths = Array(paths) }
  }

  /// Runs it.
  ///
  /// - Throws: the exit code where that is not 0.
  func run() throws {
    let status = try RunSession(self).run()
    if status != .success { throw status }
  }
}
