import ArgumentParser
import FlowExplore
import SharedCommands

/// The options for the bounds of an exploration.
struct ExploreBoundsOptions: ParsableArguments {
  @Option(help: "Explore at most this many states.")
  var maxStates: UInt64?

  @Option(help: "Explore at most this many levels, including the initial state.")
  var maxDepth: UInt32?

  @Option(help: "Explore at most this long: 30, 500ms, 1h30m.")
  var time: TimeSpan?

  @Option(help: "Use at most this much memory: 512M, 4G. Default: 2G.")
  var memory: ByteCount?

  @Flag(
    help:
      "Store a 64-bit hash of each state: less memory, but states may be missed."
  )
  var hash = false

  mutating func validate() throws {
    if maxStates == 0 || maxDepth == 0 {
      throw ValidationError("--max-states and --max-depth must be numbers of at least 1")
    }
  }

  var bounds: ExplorationBounds {
    var bounds = ExplorationBounds()
    bounds.states = maxStates ?? 0
    bounds.depth = maxDepth ?? 0
    if let memory { bounds.memory = memory.bytes }
    bounds.hashes = hash
    bounds.time = time?.duration
    return bounds
  }
}

/// The options for random walks instead of a search.
struct ExploreWalkingOptions: ParsableArguments {
  @Flag(help: "Simulate random walks, for infinite state spaces; no state is stored.")
  var random = false

  @Option(
    help:
      "The random seed: the same seed gives the same walks. Default: a new one each time.")
  var seed: UInt64?

  @Option(help: "The number of walks, of up to --max-depth steps (100). Default: 1000.")
  var walks: Int?

  mutating func validate() throws {
    for (option, isThere) in [("--seed", seed != nil), ("--walks", walks != nil)]
    where isThere && !random {
      throw ValidationError("\(option) is only for --random.")
    }
    if let walks, walks < 1 { throw ValidationError("--walks must be a number of at least 1.") }
  }

  /// Returns the bounds of random walks; nil without `--random`.
  func bounds(_ bounds: ExploreBoundsOptions) -> WalkBounds? {
    guard random else { return nil }
    var found = WalkBounds(seed: seed ?? UInt64.random(in: 0...999_999_999))
    found.walks = walks ?? found.walks
    found.steps = bounds.maxDepth.map(Int.init) ?? found.steps
    return found
  }
}

/// The options for how an exploration runs.
struct ExploreRunningOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "The number of search threads. Default: one for each core.")
  var jobs: Int?

  @Flag(help: "Run every learned decision again each time it is used, and compare.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Only this shard of the explorations: 2/5, or auto, as in moonlatch run.",
      valueName: "part"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "Save the progress to this file, to resume after a crash or Ctrl-C.",
      valueName: "file"),
    completion: .file())
  var checkpoint: String?

  @Option(help: "The interval between checkpoints: 5, 500ms, 10m. Default: 30 s.")
  var checkpointEvery: TimeSpan?

  @Option(
    help: ArgumentHelp("Resume from a checkpoint file.", valueName: "file"),
    completion: .file())
  var resume: String?

  mutating func validate() throws {
    if checkpointEvery != nil && checkpoint == nil {
      throw ValidationError(
        "--checkpoint-every is only for --checkpoint.")
    }
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs must be a number from 1 to 256.")
    }
  }
}

/// The options for the files that an exploration writes.
struct ExploreWritingOptions: ParsableArguments {
  @Option(
    help: "The folder of counterexamples. Default: beside the flow.",
    completion: .directory)
  var write: String?

  @Option(
    help: ArgumentHelp(
      "Write the state graph: FILE.dot, FILE.mmd or FILE.html draw the configurations of the machines, FILE.aut has all states.",
      valueName: "file"),
    completion: .file(extensions: ExploredGraphFormat.allCases.map(\.rawValue)))
  var graph: String?

  @Option(
    help: ArgumentHelp(
      "Generate scenarios in this folder that show every behaviour of the flow.",
      valueName: "folder"),
    completion: .directory)
  var suite: String?

  @Option(
    help: ArgumentHelp(
      "Also write the findings as JSON lines.", valueName: "jsonl=file"),
    transform: ExploreWritingOptions.stream)
  var report: String?

  /// Parses the argument of `--report`.
  ///
  /// - Returns: the file.
  private static func stream(_ text: String) throws -> String {
    guard let target = ReportTarget(argument: text), target.format == .jsonl,
      let path = target.path
    else {
      throw ValidationError("--report must be jsonl=FILE, not \(text).")
    }
    return path
  }

  /// The format of the graph; nil without one.
  var graphFormat: ExploredGraphFormat? {
    graph.flatMap { $0.split(separator: ".").last }.flatMap { .init(rawValue: String($0)) }
  }

  mutating func validate() throws {
    if let graph, graphFormat == nil {
      throw ValidationError(
        "the name \(graph) does not determine the format: it must end in .dot, .mmd, .html or .aut")
    }
  }
}

/// The options for comparing an exploration with scenarios or with an older flow.
struct ExploreComparingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Report which behaviours these scenarios show; may be repeated.", valueName: "path"))
  var cover: [String] = []

  @Option(
    help: ArgumentHelp(
      "Compare the flow with an earlier version.", valueName: "old.lua"),
    completion: .file(extensions: ["lua", "scxml"]))
  var against: String?
}

/// A number of bytes as an argument: `100000`, `512M`, `4G`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard let number = Int(digits), number > 0 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    if overflow { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String {
    for (unit, size) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)] where bytes % size == 0 {
      return "\(bytes / size)\(unit)"
    }
    return "\(bytes)"
  }
}
