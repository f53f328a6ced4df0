import LuaRuntime
import StateCharts

extension Flow {
  /// Stores the names that the flow needs in the VM, and numbers the readers.
  package mutating func number(in vm: LuaVM) throws(ScriptError) {
    for index in actions.indices where actions[index].rules.contains(where: \.isShared) {
      actions[index].nameReference = try internString(actions[index].name, in: vm)
    }
    for index in machines.indices {
      for region in machines[index].chart.regions {
        machines[index].fieldReferences.append(
          try region.field.map { field throws(ScriptError) in try internString(field, in: vm) })
      }
      let compiled = machines[index].compiled
      for leafNumber in compiled.leafStates.indices {
        machines[index].valueReferences.append(
          try internString(compiled.value(of: ChartInterpreter.LeafNumber(leafNumber)), in: vm))
      }
      guard let records = machines[index].records else { continue }
      for name in records.path {
        machines[index].pathReferences.append(name == "*" ? nil : try internString(name, in: vm))
      }
      for (number, state) in machines[index].chart.states.enumerated()
      where state.kind == .compound && !compiled.heads.contains(Int32(number)) {
        let text = try internString(compiled.text(of: Chart.StateNumber(number)), in: vm)
        machines[index].outerReferences.append((Chart.StateNumber(number), text))
      }
      for field in Set(records.which + records.whichIn.values).sorted() {
        machines[index].keyReferences[field] = try internString(field, in: vm)
      }
    }
    for index in views.indices {
      let function = views[index].function
      views[index] = FlowReader(
        function: function, number: try addReader(function, in: vm))
    }
    keyReaders = []
    let firstKey = Int32(readers.count)
    for scope in scopes {
      let reader: Int32? = if let key = scope.key { try addReader(key, in: vm) } else { nil }
      keyReaders.append(reader)
    }
    keyNumbers = firstKey..<Int32(readers.count)
    try numberConditions(in: vm)
    for index in invariants.indices {
      let function = invariants[index].function
      invariants[index] = FlowReader(
        function: function, number: try addReader(function, in: vm))
    }
    invariantNumbers = Int32(readers.count - invariants.count)..<Int32(readers.count)
  }

  private mutating func numberConditions(in vm: LuaVM) throws(ScriptError) {
    let first = Int32(readers.count)
    for index in machines.indices
    where machines[index].compiled.hasEventless && machines[index].records == nil {
      for state in machines[index].chart.states {
        for transition in state.transitions
        where transition.trigger == .always || transition.trigger == .done {
          guard let function = transition.condition else { continue }
          if let number = machines[index].conditionReaders[function] {
            conditions[Int(number - first)].sources.append(transition.source)
            continue
          }
          let number = try addReader(machines[index].functions[Int(function)], in: vm)
          machines[index].conditionReaders[function] = number
          conditions.append(EventlessCondition(machine: index, sources: [transition.source]))
        }
      }
    }
    conditionNumbers = first..<Int32(readers.count)
  }

  private mutating func internString(_ name: String, in vm: LuaVM) throws(ScriptError)
    -> LuaReference
  {
    keptNames.append(name)
    return try vm.keep(name)
  }

  private mutating func addReader(
    _ function: FlowFunction, in vm: LuaVM
  ) throws(ScriptError) -> Int32 {
    readers.append(function.reference)
    return try vm.addReader(function.reference)
  }

  /// Repeats in another VM of the same flow what `number(in:)` did in the first.
  package func keepAgain(in vm: LuaVM) throws(ScriptError) {
    for name in keptNames { _ = try vm.keep(name) }
    for reader in readers { _ = try vm.addReader(reader) }
    vm.setConditions(conditionNumbers)
  }
}
