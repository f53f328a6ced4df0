/// Something that a run tells, in the order of files and scenarios.
///
/// The stream of these is what every report is made from.
package enum RunEvent: Sendable, Hashable {
  /// The run begins.
  case began(RunHeader)
  /// A path selected nothing; the sentence says which and why.
  case nothing(String)
  /// A file could not be loaded.
  case unloadable(file: String, message: String)
  /// A scenario ended.
  case ended(ScenarioRecord)
  /// What scenarios have exercised of a flow.
  case covered(CoverageRecord)
  /// The run is over.
  case finished(RunEnd)

  /// Whether there is nothing to mend.
  package var isWell: Bool {
    switch self {
    case .unloadable: false
    case .ended(let record): record.isWell
    default: true
    }
  }
}

/// What is known before anything has run.
package struct RunHeader: Sendable, Hashable {
  /// The version of the stream's format.
  package static let currentVersion = 1

  package var version = RunHeader.currentVersion
  /// The name and version of the command.
  package var tool = "moonlatch"
  /// The seed of the flows' chance, and of the order where it is shuffled.
  package var seed: UInt64 = 0
  package var isShuffled = false
  package var repeats = 1
  /// Whether a restart followed every turn.
  package var hasRestarts = false
  /// The part of the selection that this run is.
  package var shard: ShardReceipt?

  package init() {}
}

/// Which part of a selection a run was to run: what joining the parts is checked against.
package struct ShardReceipt: Sendable, Hashable {
  /// Counted from 1.
  package var index: Int
  package var total: Int
  /// How many scenarios all shards have together.
  package var selected: Int
  /// A digest of what was selected for all shards together.
  package var selection: String
  /// The scenarios and files of this shard.
  package var planned: [String]
}

/// How a run ended.
package struct RunEnd: Sendable, Hashable {
  /// Why a run ended before everything had run.
  package enum Stopped: String, Sendable {
    case interrupted
    case outOfTime = "out of time"
    case failFast = "stopped after a failure"
  }

  package var summary: RunSummary
  package var microseconds = 0
  package var stopped: Stopped?
  /// Whether a restart followed every turn.
  package var hasRestarts = false

  package init(_ summary: RunSummary) { self.summary = summary }
}
