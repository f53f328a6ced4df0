import FlowKernel
import LuaRuntime

/// The host for whose flow scenarios are played: its limits, its chance, its rules and reducers.
package final class PlayedHost: Sendable, Hashable {
  let options: HostOptions

  package init(_ options: HostOptions) { self.options = options }

  package static func == (one: PlayedHost, other: PlayedHost) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

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

  /// Whether a restart follows every turn.
  package var restarts = false

  /// What comes of snapshots that differ or are not there.
  package var snapshots = Snapshots.Policy.keep

  /// What a host adds to the flows, where scenarios are played for one.
  package var host: PlayedHost?

  package init() {}

  /// How many steps of a scenario are kept.
  var steps: Int { tellsEveryStep ? 10_000 : 100 }
}
