import LuaRuntime
import StateCharts

/// The position of a machine's region: the leaf that is active there.
package struct RegionPosition: Sendable {
  /// The number of the region among those of all machines.
  package let region: Int
  package let leafNumber: ChartInterpreter.LeafNumber
}

/// Standing in a state that is explored.
extension Engine {
  /// Stands in a state: its tree, encoded, and what belongs to it besides.
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

  /// Whether states may be told apart from the one in which the engine stands by values alone: nothing is worked
  /// out of those but where machines stand.
  package var standsByWriting: Bool { recordMachines.isEmpty && flow.scopes.count <= 1 }

  /// The fields of the state that say where machines stand.
  package var machineFields: Set<String> {
    Set(loadedMachines.flatMap { $0.chart.chart.regions.compactMap(\.field) })
  }

  /// Stands in a state that differs in values from the one in which the engine stands, with what belongs to it
  /// besides.
  ///
  /// - Parameters:
  ///   - scalars: where values differ, and what they are to be, as the VM takes it.
  ///   - canonical: nil where that is the same, too, and the engine has done no more than to ask.
  ///   - positions: of the machines whose fields are among them.
  /// - Returns: false where that cannot be: the engine is to stand there anew.
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

  /// The position of a machine whose field has a text; nil if it has no such state.
  package func machinePosition(_ text: String, inField field: String) -> RegionPosition? {
    for machine in loadedMachines {
      for (number, region) in machine.chart.chart.regions.enumerated() where region.field == field {
        guard let leafNumber = machine.chart.leafNumber(text, in: number) else { return nil }
        return RegionPosition(region: machine.firstRegion + number, leafNumber: leafNumber)
      }
    }
    return nil
  }

  /// The tree of the state, encoded.
  package func encodedTree() throws(ScriptError) -> [UInt8] { try vm.stateBytes(after: []) }

  /// Stands with what belongs to a state besides its tree, which is written meanwhile.
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

  /// The canonical form of the case's state now.
  func canonicalState() -> CanonicalState {
    caseState.canonical(
      of: flow, effects: currentEffects(), isTimeBounded: settings.exploredClock.upTo != nil,
      timers: instrumentation?.timers ?? StateTimerTable())
  }

  /// The effects that were under way before a run and are still, then those that wait since.
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
