import Moonlatch

/// How scenarios are played.
package struct PlaySettings: Sendable, Hashable {
  /// What flows and scenarios may use.
  package var limits = Limits()
  /// The seed of the flows' chance.
  package var seed: UInt64 = 0
  /// Whether what passed tells its dispatches too.
  package var tellsEveryStep = false

  /// Whether what scenarios exercise is noted.
  package var notesCoverage = false

  /// What comes of snapshots that differ or are not there.
  package var snapshots = Snapshots.Policy.keep

  package init() {}

  /// How many steps of a scenario are kept.
  var steps: Int { tellsEveryStep ? 10_000 : 100 }
}
