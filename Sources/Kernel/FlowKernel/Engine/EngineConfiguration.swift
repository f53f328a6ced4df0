import FlowLanguage
import LuaRuntime
import StateCharts

/// The immutable configuration of an engine: the loaded flow, limits, and the source of chance.
package struct EngineConfiguration {
  package let flow: Flow
  /// The machines of the state.
  package let loadedMachines: [LoadedMachine]
  /// The machines of records, by their numbers in the VM.
  let recordMachines: [Int32: LoadedMachine]
  /// All machines.
  let machinesByName: [String: LoadedMachine]
  package let namedStates: NamedStates
  /// The eventless transitions; nil if no machine has any.
  package let eventless: EventlessTransitions?
  /// True if any machine has a history state.
  let hasHistory: Bool
  /// True if a machine of records has effects of states.
  let recordsHaveEffects: Bool
  /// The dialect of the flow's machines: flow or SCXML.
  package let dialect: Chart.Dialect
  /// True if a state of a machine postpones actions.
  let postpones: Bool
  package let limits: Limits
  package let seed: UInt64
  /// The host's source of chance, if it has one; the generators of the case's state are positions in it then.
  let randomSource: RandomSource?
  /// The rules and reducers that the host adds; nil if there are none.
  package let hostRules: LoadedHostRules?

  /// Creates the configuration for a loaded flow and the parts that a host adds.
  ///
  /// - Throws: `HostError` if the host refers to something that the flow does not declare.
  package init(_ loaded: LoadedFlow, limits: Limits, seed: UInt64, parts: HostParts) throws {
    (self.limits, self.seed, randomSource) = (limits, seed, parts.random)
    hostRules =
      try parts.hostRules.isEmpty ? nil : LoadedHostRules(parts.hostRules, in: loaded.flow)
    var flow = loaded.flow
    try flow.declare(parts.scopes)
    self.flow = flow
    loadedMachines = loaded.machines.filter { $0.records == nil }
    recordMachines = Dictionary(
      uniqueKeysWithValues: loaded.machines.compactMap { machine in
        machine.records.map { ($0.number, machine) }
      })
    machinesByName = loaded.machinesByName
    namedStates = loaded.namedStates
    eventless = loaded.eventless
    dialect = flow.document == nil ? .flow : .scxml
    hasHistory = loaded.machines.contains { !$0.historyStates.isEmpty }
    postpones = loaded.machines.contains { !$0.postponed.isEmpty }
    recordsHaveEffects = flow.machines.contains { $0.records != nil && !$0.effects.isEmpty }
  }
}

/// The settings of an engine that a host or a tool may change while it runs.
package struct EngineSettings {
  /// The name of the host.
  package var hostName = ""
  /// The user for whom `may` asks in a scenario's script.
  package var speaker: String?
  /// True if internal actions without a cause are accepted, for example from a person who dispatches them by hand.
  var admitsInternal = false
  /// True if commits start effects and timers; false if only dispatched actions happen (see `turnOffEffectsAndTimers`).
  var startsEffectsAndTimers = true
  /// The names of the effects that wait until they are finished from outside.
  package var pausedEffects: Set<String> = []
  /// The possible results of `random()` while the flow is explored.
  package var exploredUnits: [Double] = []
  /// The clock while the flow is explored.
  package var exploredClock = ExploredClock()
}
