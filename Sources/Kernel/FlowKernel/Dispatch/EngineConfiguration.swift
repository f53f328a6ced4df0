import FlowLanguage
import LuaRuntime
import StateCharts

/// The configuration of an engine, which never changes: the flow as it was loaded, limits, and the source of chance.
package struct EngineConfiguration {
  package let flow: Flow
  /// The machines of the state.
  package let loadedMachines: [LoadedMachine]
  /// The machines of records, by the VM's numbers for them.
  let recordMachines: [Int32: LoadedMachine]
  /// All machines.
  let machinesByName: [String: LoadedMachine]
  package let namedStates: NamedStates
  /// The transitions that machines take by themselves, where there are any.
  package let eventless: EventlessTransitions?
  /// True if any machine has a history state.
  let hasHistory: Bool
  /// True if machines of records have effects of states.
  let recordsHaveEffects: Bool
  /// The rules of its machines.
  package let dialect: Chart.Dialect
  package let limits: Limits
  package let seed: UInt64
  /// The host's source of chance, if it has one: the generators of the case's state are positions in it then.
  let randomSource: RandomSource?
  /// The rules and reducers that the host adds, where there are any.
  package let hostRules: LoadedHostRules?

  /// - Throws: `HostError`, if the flow does not have what the host adds to.
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
    recordsHaveEffects = flow.machines.contains { $0.records != nil && !$0.effects.isEmpty }
  }
}

/// The settings of an engine that a host or a tool may change while it runs.
package struct EngineSettings {
  /// The name of the host.
  package var hostName = ""
  /// The name for which `may` asks in the script of a scenario.
  package var speaker: String?
  /// True if internal actions are admitted that have no cause, as by a person who plays them.
  var admitsInternal = false
  /// False where only dispatched actions happen (see `turnOffEffectsAndTimers`).
  var startsEffectsAndTimers = true
  /// The effects that wait until they are finished from outside, by name.
  package var pausedEffects: Set<String> = []
  /// The results of `random()` while the flow is explored.
  package var exploredUnits: [Double] = []
  /// The course of time while the flow is explored.
  package var exploredClock = ExploredClock()
}
