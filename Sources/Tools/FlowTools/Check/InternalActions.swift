/// A check for internal actions that the flow never dispatches, although nothing else can.
struct InternalActions {
  let text: FlowText

  var findings: [Finding] {
    let internals = text.flow.actions.filter(\.isInternal)
    guard !internals.isEmpty, let sent else { return [] }
    return internals.filter { !sent.contains($0.name) }.map {
      Finding(
        .unsentAction, at: $0.place,
        "action \($0.name) is internal, but no effect or timer here dispatches it")
    }
  }

  /// The actions that are dispatched somewhere; nil if a name is computed.
  private var sent: Set<String>? {
    var sent: Set<String> = []
    for effect in text.flow.effects {
      sent.formUnion([effect.onDone, effect.onError].compactMap(\.self))
    }
    for machine in text.flow.machines {
      sent.formUnion(machine.effects.values.flatMap { [$0.onDone, $0.onError] }.compactMap(\.self))
      for timer in machine.chart.states.flatMap(\.timers) {
        if case .action(let name) = timer.due { sent.insert(name) }
      }
    }
    for source in text.sources {
      for access in source.accesses where !source.localNames.contains(access.root) {
        guard let position = InternalActions.position(of: access) else { continue }
        if let name = access.firstField {
          sent.insert(name)
        } else if let arguments = source.arguments(of: access), arguments.count > position,
          let name = source.literal(arguments[position])
        {
          sent.insert(name)
        } else {
          return nil
        }
      }
    }
    return sent
  }

  /// Returns the index of the argument that names the dispatched action.
  private static func position(of access: LuaAccess) -> Int? {
    switch access.root {
    case "dispatch": 0
    case "after" where access.steps.isEmpty && access.use == .read: 1
    default: nil
    }
  }
}
