import LuaRuntime
import StateCharts

/// The position of a machine's region: the leaf that is active there.
package struct RegionPosition: Sendable {
  /// The number of the region among those of all machines.
  package let region: Int
  package let leafNumber: ChartInterpreter.LeafNumber
}

/// Loads explored states.
extension Engine {
  /// Loads a state: its encoded tree, and the canonical form of the rest.
  package func load(state tree: [UInt8], _ canonical: CanonicalState) throws {
    _ = try load(beside: canonical) {
      vm.beginWork(.dispatch, budget: mostPerChain)
      defer { vm.endWork() }
      do throws(Rejection) {
        _ = try transaction(for: "exploring", checksInvariants: false, startsRecords: false) {
          for gatekeeper in flow.gatekeepers { try vm.touch(gatekeeper.title) }
          try take(state: tree)
        }
      } catch {
        throw error.failure
      }
      readMachines()
      return true
    }
  }

  /// True if a state that differs from the current one by values alone can be loaded by writing those.
  ///
  /// Only the configurations of machines are derived from the values then.
  package var standsByWriting: Bool { recordMachines.isEmpty && flow.scopes.count <= 1 }

  /// The fields of the state that contain the machines' configurations.
  package var machineFields: Set<String> {
    Set(loadedMachines.flatMap { $0.chart.chart.regions.compactMap(\.field) })
  }

  /// Loads a state that differs from the current one in values, and in the canonical form of the rest.
  ///
  /// - Parameters:
  ///   - scalars: the places of the values that differ, with the new values, in the VM's encoding.
  ///   - canonical: the canonical form; nil if it is equal, too, and the engine has only answered questions since.
  ///   - positions: the positions of the machines whose fields are among the values.
  /// - Returns: false if that is impossible; the state must then be loaded whole.
  package func load(
    writing scalars: [UInt8], _ canonical: CanonicalState?, _ positions: [RegionPosition]
  ) throws -> Bool {
    guard let canonical else {
      guard try write(scalars, positions) else { return false }
      vm.touchConditions()
      return true
    }
    return try load(beside: canonical) {
      for gatekeeper in flow.gatekeepers { try vm.touch(gatekeeper.title) }
      return try write(scalars, positions)
    }
  }

  private func write(_ scalars: [UInt8], _ positions: [RegionPosition]) throws -> Bool {
    if !scalars.isEmpty, try !vm.put(scalars: scalars) { return false }
    for position in positions { derived.configuration[position.region] = position.leafNumber }
    return true
  }

  /// Returns the position of the region whose field has a text; nil if the machine has no such state.
  package func machinePosition(_ text: String, inField field: String) -> RegionPosition? {
    for machine in loadedMachines {
      for (number, region) in machine.chart.chart.regions.enumerated() where region.field == field {
        guard let leafNumber = machine.chart.leafNumber(text, in: number) else { return nil }
        return RegionPosition(region: machine.firstRegion + number, leafNumber: leafNumber)
      }
    }
    return nil
  }

  /// Returns the encoded tree of the state.
  package func encodedTree() throws(ScriptError) -> [UInt8] { try vm.stateBytes(after: []) }

  /// Loads the canonical form of a state; `write` loads the tree meanwhile.
  private func load(beside canonical: CanonicalState, _ write: () throws -> Bool) throws -> Bool {
    dropEffects()
    caseState = caseState.replaced(by: canonical)
    guard try write() else { return false }
    refreshScopes(since: nil)
    noteScopeInstances()
    caseState.addTimersAndEffects(of: canonical, in: flow) { newCommit(of: $0) }
    if configuration.hasHistory { readMemories() }
    caseState.forgetChanges()
    vm.touchConditions()
    return true
  }

  // MARK: The canonical form

  /// Returns the canonical form of the case's current state.
  func canonicalState() -> CanonicalState {
    caseState.canonical(
      of: flow, effects: currentEffects(), isTimeBounded: settings.exploredClock.upTo != nil,
      timers: instrumentation?.timers ?? StateTimerTable())
  }

  /// Returns the effects that were under way before a run and still are, then those that have begun to wait since.
  private func currentEffects() -> [EffectRecord] {
    if caseState.effects.isEmpty { return [] }
    return caseState.effects.values.sorted { $0.number < $1.number }.filter { effect in
      let isNew = effects[effect.number] != nil
      guard let state = effect.state else {
        return !isNew || instrumentation?.silent.contains(effect.title) != true
      }
      // The state may have been left, even if it was entered again.
      return isNew
        || caseState.stateEffectTriggers[state]?.cause.revision == CanonicalState.revision
          && effects.number(of: state) == nil
    }
  }
}
