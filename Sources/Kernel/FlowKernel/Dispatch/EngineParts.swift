import LuaRuntime
import StateCharts

/// The values that are worked out from the tree and from the case's state, and encoded nowhere.
package struct DerivedState {
  /// The stops of the machines' regions, as their fields in the tree say, one machine's behind another's.
  package var configuration: [ChartInterpreter.LeafNumber]
  /// The history values of machines, as the case's state has them, by machine.
  package var historyValues: [Int: ChartInterpreter.HistoryValue] = [:]
  var scopeKeys: ScopeKeys
}

/// The values that a step works with: none of them counts once the step is over.
struct StepScratch {
  /// The changes of records in the transaction under way.
  var recordNotes = RecordChanges()
  /// The eventless microsteps under way.
  package var eventless = Engine.EventlessMicrosteps()
  /// The selected record whose machine is asked.
  var selectedRecord: UInt32?
  package var payload = CurrentPayload()
  /// The state whose effect dispatched the action that is offered.
  package var source: ActiveState?
  /// True if what runs now was caused by somebody else than the caller.
  var runsForNobody = false
  /// The name given with the action that is being decided on.
  package var dispatchedBy: String?
  /// The payload of the action from the queue that is reported.
  package var payloadFromQueue: Value = [:]
  /// The steps of machines in the latest transition, in order, where they are noted.
  package var latestSteps: [MicrostepRecord] = []
}

/// The values that an engine keeps to be quick.
struct EngineCaches {
  /// The actions, those that were looked up last first.
  package var actions: LoadedActions
  /// The interpreters of machines whose transitions are not prepared, by machine.
  var interpreters: [LentInterpreter?] = []
  /// The latest microsteps of machines with several regions, by machine.
  package var microsteps: [MicrostepCache?] = []
}

/// The payload of the action that is offered.
struct CurrentPayload {
  /// What the host's own rules are asked about, where there are any.
  package var value: Value = [:]
  /// What encodes it, for the record of the transition.
  ///
  /// It holds the payload of any action before where this one takes nothing.
  package var writer = PayloadWriter()
}

/// The keys that open and close scopes.
struct ScopeKeys {
  /// The key of each scope in the state.
  package var values: [Value?]
  /// What openings and closings last went by; nil where keys have changed since.
  var refreshed: Int?

  package init(count: Int) { values = Array(repeating: nil, count: count) }
}

/// What the host has opened by itself.
struct HostScopeInstances {
  /// In order, with numbers that are never given again.
  package var held: [(scope: String, number: Int, key: HostKey)] = []
  package var last = 0
  /// The opening through which an action is being offered, if it is.
  var dispatchedThrough: Int?
}

/// What the flow calls of the host's, and the calls that are under way.
package struct CapabilityCalls {
  package var capabilities: Capabilities
  package var pending = PendingCalls()
  /// The call that the effect under way is about to wait for.
  var prepared: Engine.PreparedCall?
  /// The record that is being replayed, of which answers are taken.
  package var recorded: RecordedCalls?

  package init(capabilities: Capabilities) { self.capabilities = capabilities }
}
