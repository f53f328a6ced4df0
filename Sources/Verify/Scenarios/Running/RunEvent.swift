/// An event that a run reports, in the order of files and scenarios.
///
/// Every report is made from the stream of these events.
package enum RunEvent: Sendable, Hashable {
  /// The run begins.
  case began(RunHeader)
  /// A path selected nothing; the sentence says which path and why.
  case nothing(String)
  /// A file could not be loaded.
  case unloadable(file: String, message: String)
  /// A scenario ended.
  case ended(ScenarioRecord)
  /// The coverage of a flow by the scenarios.
  case covered(CoverageRecord)
  /// The run is over.
  case finished(RunEnd)

  /// True if nothing went wrong.
  package var isWell: Bool {
    switch self {
    case .unloadable: false
    case .ended(let record): record.isWell
    default: true
    }
  }
}

/// The facts about a run that are known before anything has run.
package struct RunHeader: Sendable, Hashable {
  /// The version of the stream's format.
  package static let currentVersion = 1

  package var version = RunHeader.currentVersion
  /// The name and version of the command.
  package var tool = "moonlatch"
  /// The seed of the flows' random numbers, and of the order if it is shuffled.
  package var seed: UInt64 = 0
  package var isShuffled = false
  package var repeats = 1
  /// True if a restart followed every turn.
  package var hasRestarts = false
  /// The part of the selection that this run is.
  package var shard: ShardReceipt?

  package init() {}
}

/// A receipt for the part of a selection that a run had to run, which is checked when the parts are joined.
package struct ShardReceipt: Sendable, Hashable {
  /// The number of the part, counted from 1.
  package var index: Int
  package var total: Int
  /// The number of scenarios and files of all shards together.
  package var selected: Int
  /// A digest of the selection of all shards together.
  package var selection: String
  /// The scenarios and files of this shard.
  package var planned: [String]
}

/// The end of a run, with its results.
package struct RunEnd: Sendable, Hashable {
  /// The reason that a run ended before everything had run.
  package enum Stopped: String, Sendable {
    case interrupted
    case outOfTime = "out of time"
    case failFast = "stopped after a failure"
  }

  package var summary: RunSummary
  package var microseconds = 0
  package var stopped: Stopped?
  /// True if a restart followed every turn.
  package var hasRestarts = false

  package init(_ summary: RunSummary) { self.summary = summary }
}
