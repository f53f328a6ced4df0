import LuaRuntime

/// The drawing as plain values, for pages that draw it themselves.
extension FlowDrawing {
  /// The machines, in the order of declaration.
  package var machines: Value { .list(charts.map(\.data)) }
}

extension FlowDrawing.Chart {
  /// The states by number, and the arrows between them.
  fileprivate var data: Value {
    [
      "name": .string(name), "notes": .list(notes.map { .string($0) }),
      "states": .list(states.indices.map(data)), "arrows": .list(arrows.map(data)),
    ]
  }

  private func path(of number: Int) -> String {
    let state = states[number]
    return state.parent.map { "\(path(of: $0)).\(state.name)" } ?? state.name
  }

  private func data(of number: Int) -> Value {
    let state = states[number]
    var fields: [String: Value] = [
      "name": .string(state.name), "path": .string(path(of: number)),
      "notes": .list(state.notes.map { .string($0) }),
    ]
    fields["parent"] = state.parent.map { .integer($0) }
    for (name, holds) in [
      ("initial", state.isInitial), ("final", state.isFinal), ("region", state.isRegion),
      ("outer", state.hasStates),
    ] where holds { fields[name] = true }
    return .record(fields)
  }

  private func data(of arrow: Arrow) -> Value {
    var fields: [String: Value] = [
      "from": data(of: arrow.from), "to": data(of: arrow.to),
      "labels": .list(arrow.labels.map { .string($0) }),
      "actions": .list(arrow.actions.sorted().map { .string($0) }),
    ]
    if arrow.isEventless { fields["eventless"] = true }
    if arrow.isBack { fields["back"] = true }
    return .record(fields)
  }

  private func data(of end: End) -> Value {
    func mark(_ kind: String, _ state: Int?, _ more: [String: Value] = [:]) -> Value {
      var fields = more
      fields["kind"] = .string(kind)
      fields["state"] = state.map { .integer($0) }
      return .record(fields)
    }
    switch end {
    case .state(let number): return mark("state", number)
    case .any(let state): return mark("any", state)
    case .initial(let state): return mark("initial", state)
    case .history(let state, let depth): return mark(depth == .deep ? "deep" : "history", state)
    case .fork(let number, let state): return mark("fork", state, ["number": .integer(number)])
    }
  }
}
