import ArgumentParser
import FlowExplore
import SharedCommands

/// The options for the bounds of an exploration.
struct ExploreBoundsOptions: ParsableArguments {
  @Option(help: "Go through so many states at most.")
  var maxStates: UInt64?

  @Option(help: "Go so many levels deep at most, the beginning included.")
  var maxDepth: UInt32?

  @Option(help: "Take so long at most: 30, 500ms, 1h30m.")
  var time: TimeSpan?

  @Option(help: "Take so many bytes at most, as 512M or 4G. Without it: 2G.")
  var memory: ByteCount?

  @Flag(
    help:
      "Keep 64 bits of each state in place of the state: less memory, and a chance of overlooking some."
  )
  var hash = false

  mutating func validate() throws {
    if maxStates == 0 || maxDepth == 0 {
      throw ValidationError("--max-states and --max-depth take numbers from 1 on")
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
  @Flag(help: "Walk by chance, for spaces that do not end; no state is kept.")
  var random = false

  @Option(
    help:
      "Where chance begins: the same seed walks the same ways. Without it: another one each time.")
  var seed: UInt64?

  @Option(help: "Make so many walks, of --max-depth steps each (100). Without it: 1000.")
  var walks: Int?

  mutating func validate() throws {
    for (option, isThere) in [("--seed", seed != nil), ("--walks", walks != nil)]
    where isThere && !random {
      throw ValidationError("\(option) is for --random; without it it says nothing.")
    }
    if let walks, walks < 1 { throw ValidationError("--walks takes a number from 1 on.") }
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
    name: .shortAndLong, help: "How many threads search. Without it: one for each core.")
  var jobs: Int?

  @Flag(help: "Play every decision that was learned once more, wherever it is used.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Only this part of the explorations: 2/5, or auto, as moonlatch run takes it.",
      valueName: "part"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "Keep in this file from time to time how far it is, to go on after a crash or Ctrl-C.",
      valueName: "file"),
    completion: .file())
  var checkpoint: String?

  @Option(help: "How long after the last time: 5, 500ms, 10m. Without it: 30 s.")
  var checkpointEvery: TimeSpan?

  @Option(
    help: ArgumentHelp("Go on from what such a file has kept.", valueName: "file"),
    completion: .file())
  var resume: String?

  mutating func validate() throws {
    if checkpointEvery != nil && checkpoint == nil {
      throw ValidationError(
        "--checkpoint-every says how often --checkpoint is written; without it it says nothing.")
    }
    if let jobs, !(1...256).contains(jobs) {
      throw ValidationError("--jobs takes a number from 1 to 256.")
    }
  }
}

/// The options for the files that an exploration writes.
struct ExploreWritingOptions: ParsableArguments {
  @Option(
    help: "Write what fails as scenarios into this folder. Without it: beside the flow.",
    completion: .directory)
  var write: String?

  @Option(
    help: ArgumentHelp(
      "Write the graph: FILE.dot, FILE.mmd or FILE.html a picture of where machines stand, FILE.aut all states.",
      valueName: "file"),
    completion: .file(extensions: ExploredGraphFormat.allCases.map(\.rawValue)))
  var graph: String?

  @Option(
    help: ArgumentHelp(
      "Write into this folder few scenarios that show all that the flow does.",
      valueName: "folder"),
    completion: .directory)
  var suite: String?

  @Option(
    help: ArgumentHelp(
      "Write what was found as lines of JSON too.", valueName: "jsonl=file"),
    transform: ExploreWritingOptions.stream)
  var report: String?

  /// Parses the argument of `--report`.
  ///
  /// - Returns: the file.
  private static func stream(_ text: String) throws -> String {
    guard let target = ReportTarget(argument: text), target.format == .jsonl,
      let path = target.path
    else {
      throw ValidationError("explore writes reports as jsonl=FILE, not as \(text).")
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
        "\(graph) does not say what to write; end it in .dot, .mmd, .html or .aut")
    }
  }
}

/// The options for comparing an exploration with scenarios or with an older flow.
struct ExploreComparingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Say what these scenarios show of what the flow does; may be repeated.", valueName: "path"))
  var cover: [String] = []

  @Option(
    help: ArgumentHelp(
      "Say how the flow differs from an earlier version of it.", valueName: "old.lua"),
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
