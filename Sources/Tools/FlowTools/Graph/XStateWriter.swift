import LuaRuntime
import StateCharts

/// A writer of a flow's machines as a machine of XState 5, in JSON, for Stately's editor.
///
/// Guards, actions and delays are names.
package struct XStateWriter {
  /// Returns the text of the machine, and warnings about the parts that it does not express.
  package static func export(_ text: FlowText) -> ExportedFlow {
    var export = FlowExport(text, as: .xstate)
    var fields: [(String, OrderedJSON)]
    if export.charts.count == 1, let chart = export.charts.first {
      fields = XStateWriter.state(chart.root)
    } else {
      let states = XStateWriter.keyed(export.charts.map(\.root))
      fields = [
        ("id", .text(export.id)), ("type", .text("parallel")),
        ("states", .object(states.map { ($0, .object(state($1))) })),
      ]
    }
    for index in export.charts.indices { export.warnOfXState(index) }
    var description = "written by moonlatch graph"
    if let place = fields.firstIndex(where: { $0.0 == "description" }),
      case .text(let notes) = fields.remove(at: place).1
    {
      description += "\n" + notes
    }
    fields.insert(("description", .text(description)), at: 0)
    return ExportedFlow(
      text: OrderedJSON.object(fields).text() + "\n", warnings: export.warnings,
      ids: export.charts.map(\.ids), events: export.names.eventOfAction)
  }

  private static func state(_ state: ExportedState) -> [(String, OrderedJSON)] {
    var fields: [(String, OrderedJSON)] = [("id", .text(state.id))]
    switch state.kind {
    case .parallel: fields.append(("type", .text("parallel")))
    case .final: fields.append(("type", .text("final")))
    case .history(let depth):
      fields += [
        ("type", .text("history")), ("history", .text(depth == .deep ? "deep" : "shallow")),
      ]
      if let target = state.initial.first, state.initial.count == 1 {
        fields.append(("target", .text(self.target(target))))
      }
      return fields
    case .atomic, .compound: break
    }
    if !state.notes.isEmpty {
      fields.append(("description", .text(state.notes.joined(separator: "\n"))))
    }
    if !state.onEnter.isEmpty { fields.append(("entry", .list(state.onEnter.map { .text($0) }))) }
    if !state.onExit.isEmpty { fields.append(("exit", .list(state.onExit.map { .text($0) }))) }
    if let effect = state.effect { fields.append(("invoke", .object([("src", .text(effect))]))) }
    add(state, to: &fields)
    let children = keyed(state.children)
    if state.kind == .compound, let first = beginning(of: state, among: children) {
      fields.append(("initial", .text(first)))
    }
    if !children.isEmpty {
      fields.append(("states", .object(children.map { ($0, .object(self.state($1))) })))
    }
    return fields
  }

  /// Returns states with unique keys that JavaScript keeps in this order, although it puts numbers first.
  private static func keyed(_ states: [ExportedState]) -> [(String, ExportedState)] {
    var names = ExportNames()
    return states.map { state in
      let plain = state.key.replacing(".", with: "_")
      let isNumber = !plain.isEmpty && plain.utf8.allSatisfy { (48...57).contains($0) }
      return (names.claim(isNumber ? "_\(plain)" : plain), state)
    }
  }

  /// Returns the initial child of a state; a deeper initial state is the child's own.
  private static func beginning(
    of state: ExportedState, among children: [(String, ExportedState)]
  ) -> String? {
    guard let target = state.initial.first else { return children.first { !$1.isHistory }?.0 }
    return children.first { $1.contains(target) }?.0
  }

  /// Returns a reference by id, with its dots and backslashes escaped, because they would begin a path.
  private static func target(_ state: ExportedState) -> String {
    "#" + state.id.replacing("\\", with: "\\\\").replacing(".", with: "\\.")
  }

  // MARK: Transitions

  private static func add(_ state: ExportedState, to fields: inout [(String, OrderedJSON)]) {
    var on = Grouped()
    var after = Grouped()
    var (always, done): ([OrderedJSON], [OrderedJSON]) = ([], [])
    for transition in state.transitions {
      let value = self.value(of: transition)
      switch transition.trigger {
      case .always: always.append(value)
      case .done: done.append(value)
      case .exactEvent(let name): on.add(value, to: name)
      case .events(let names):
        for name in names {
          // In XState a done event has no name.
          if name == "done.state.\(state.id)" {
            done.append(value)
          } else {
            on.add(value, to: name)
          }
        }
      case .timer(let index): after.add(value, to: key(of: state.timers[index]))
      }
    }
    for timer in state.timers where !timer.isOwnEvent {
      after.add(.object([("actions", .text("raise \(timer.event)"))]), to: key(of: timer))
    }
    for (name, grouped) in [("on", on), ("after", after)] where !grouped.groups.isEmpty {
      fields.append((name, .object(grouped.groups.map { ($0, .list($1)) })))
    }
    if !always.isEmpty { fields.append(("always", .list(always))) }
    if !done.isEmpty { fields.append(("onDone", .list(done))) }
  }

  /// Returns a delay in milliseconds, or its name.
  fileprivate static func key(of timer: ExportedTimer) -> String {
    switch timer.delay {
    case .seconds(let seconds):
      let milliseconds = (seconds * 1_000).rounded()
      return milliseconds < 1e15 ? String(Int(milliseconds)) : "\(milliseconds)"
    case .named(let name): return name
    }
  }

  private static func value(of transition: ExportedTransition) -> OrderedJSON {
    var fields: [(String, OrderedJSON)] = []
    let targets = transition.targets.map { OrderedJSON.text(target($0)) }
    if let target = targets.first {
      fields.append(("target", targets.count == 1 ? target : .list(targets)))
    }
    var conditions = [transition.guardName].compactMap { $0 }
    if case .expression = transition.condition {
    } else if let text = transition.condition.text {
      conditions.insert(text, at: 0)
    }
    if !conditions.isEmpty { fields.append(("guard", .text(conditions.joined(separator: " && ")))) }
    let actions = [transition.action, transition.raises.map { "raise \($0)" }].compactMap { $0 }
    if !actions.isEmpty { fields.append(("actions", .text(actions[0]))) }
    if transition.reenters { fields.append(("reenter", .flag(true))) }
    if !transition.notes.isEmpty {
      fields.append(("description", .text(transition.notes.joined(separator: "\n"))))
    }
    return .object(fields)
  }

  /// Values grouped by keys, in the order in which the keys first came.
  private struct Grouped {
    var groups: [(key: String, values: [OrderedJSON])] = []

    mutating func add(_ value: OrderedJSON, to key: String) {
      if let place = groups.firstIndex(where: { $0.key == key }) {
        groups[place].values.append(value)
      } else {
        groups.append((key, [value]))
      }
    }
  }
}

/// A JSON value whose fields keep their order.
indirect enum OrderedJSON {
  case text(String)
  case flag(Bool)
  case list([OrderedJSON])
  case object([(String, OrderedJSON)])

  func text(_ indent: String = "") -> String {
    let inside = indent + "  "
    switch self {
    case .text(let text): return JSONText.visible(.string(text))
    case .flag(let flag): return flag ? "true" : "false"
    case .list(let parts):
      if parts.isEmpty { return "[]" }
      return "[\n" + parts.map { inside + $0.text(inside) }.joined(separator: ",\n")
        + "\n\(indent)]"
    case .object(let fields):
      if fields.isEmpty { return "{}" }
      let lines = fields.map { "\(inside)\(JSONText.visible(.string($0))): \($1.text(inside))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }
}
