import LuaRuntime
import StateCharts

/// The values that are computed from the state tree and the case's state, and never encoded.
package struct DerivedState {
  /// The active leaf of each region, as the machines' fields in the tree say, machine after machine.
  package var configuration: [ChartInterpreter.LeafNumber]
  /// The history values in the case's state, by machine.
  package var historyValues: [Int: ChartInterpreter.HistoryValue] = [:]
  var scopeKeys: ScopeKeys
}

/// The working values of a step, irrelevant once the step is over.
struct StepScratch {
  /// The changes of records in the transaction under way.
  var recordNotes = RecordChanges()
  /// The eventless microsteps under way.
  package var eventless = Engine.EventlessMicrosteps()
  /// The selected record whose machine is being asked; nil for a machine of the state.
  var selectedRecord: UInt32?
  package var payload = CurrentPayload()
  /// The state whose effect dispatched the current action.
  package var source: ActiveState?
  /// True if the running code was not caused by the current caller, whose task-locals it does not inherit then.
  var runsForNobody = false
  /// The user who dispatched the current action, if that was given.
  package var dispatchedBy: String?
  /// The payload of the queued action that is being reported.
  package var payloadFromQueue: Value = [:]
  /// The microsteps of the latest commit, in order, if they are recorded.
  package var latestSteps: [MicrostepRecord] = []
}

/// The caches of an engine.
struct EngineCaches {
  /// The actions by name, with a fast path for recent lookups.
  package var actions: LoadedActions
  /// The interpreters of machines whose transitions are not prepared, by machine.
  var interpreters: [LentInterpreter?] = []
  /// The latest microsteps of machines with several regions, by machine.
  package var microsteps: [MicrostepCache?] = []
}

/// The payload of the current action.
struct CurrentPayload {
  /// The payload that rules in Swift receive; set only if the host has such rules.
  package var value: Value = [:]
  /// The writer that encodes the payload for the commit.
  ///
  /// If the current action takes no payload, this still holds that of an earlier action.
  package var writer = PayloadWriter()
}

/// The keys that open and close scopes.
struct ScopeKeys {
  /// The key of each scope in the state.
  package var values: [Value?]
  /// The version of the scope tree at the last refresh; nil if keys have changed since.
  var refreshed: Int?

  package init(count: Int) { values = Array(repeating: nil, count: count) }
}

/// The scope instances that the host itself has opened.
struct HostScopeInstances {
  /// The instances in the order of opening; numbers are never reused.
  package var held: [(scope: String, number: Int, key: HostKey)] = []
  package var last = 0
  /// The instance through which the current action is dispatched; nil if there is none.
  var dispatchedThrough: Int?
}

/// The host's capabilities, and the calls to them that are in progress.
package struct CapabilityCalls {
  package var capabilities: Capabilities
  package var pending = PendingCalls()
  /// The call that the running effect is about to wait for.
  var prepared: Engine.PreparedCall?
  /// The recorded calls whose answers a replay uses; nil outside of a replay.
  package var recorded: RecordedCalls?
  /// The tasks that were open before a reload that replays the case; nil outside of such a reload.
  var openBeforeReplay: [OpenTask]?
  /// The tasks whose answers effects have got since the last entry.
  var answeredTasks: Set<OpenTask.Key> = []
  /// True if a call may open a task.
  let opensTasks: Bool

  package init(capabilities: Capabilities) {
    self.capabilities = capabilities
    opensTasks = capabilities.opensTasks
  }
}
