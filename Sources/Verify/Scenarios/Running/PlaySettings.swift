import FlowKernel
import LuaRuntime

/// The options of a host for whose flow scenarios are played: limits, randomness, rules and reducers.
package final class PlayedHost: Sendable, Hashable {
  let options: HostOptions

  package init(_ options: HostOptions) { self.options = options }

  package static func == (one: PlayedHost, other: PlayedHost) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The settings with which scenarios are played.
package struct PlaySettings: Sendable, Hashable {
  /// The limits on what flows and scenarios may use.
  package var limits = Limits()
  /// The seed of the flows' random numbers.
  package var seed: UInt64 = 0
  /// True if the dispatches of scenarios that passed are reported too.
  package var tellsEveryStep = false

  /// True if coverage is recorded.
  package var notesCoverage = false

  /// True if a restart follows every turn.
  package var restarts = false

  /// The handling of snapshots that differ or are missing.
  package var snapshots = Snapshots.Policy.keep

  /// The settings for scenarios with the tag `live`; nil if they are skipped.
  package var live: LiveSettings?

  /// The host's additions to the flows, if scenarios are played for a host.
  package var host: PlayedHost?

  package init() {}

  /// The number of steps of a scenario that are kept.
  var steps: Int { tellsEveryStep ? 10_000 : 100 }
}
