import FlowKernel
import FlowLanguage
import LuaRuntime

extension Counterexample {
  /// Returns a scenario that makes the steps of a run, and expects the changes of each.
  static func showing(_ run: SuiteRun, _ session: StateSearch) throws -> Counterexample {
    var scenario = Counterexample()
    if let first = run.steps.first { scenario.addBeginning(of: first.state, session) }
    for step in run.steps { try scenario.add(step, session) }
    scenario.open()
    return scenario
  }

  private mutating func add(_ step: SuiteRun.Step, _ session: StateSearch) throws {
    try session.values(of: step.state).withUnsafeBufferPointer { values in
      guard let (move, told) = try session.tell(step.edge.mover, values, step.edge.outcomes)
      else { return }
      note(
        session.effects(in: step.state) + session.effects(begun: told),
        step.edge.draw_count == 0
          ? [] : session.drawn(by: step.edge.mover, in: step.state, step.edge.outcomes))
      if case .refused(let refusal) = told.ending, case .action(let name, let payload) = move {
        add([
          Counterexample.call("refuse", name, payload) + Counterexample.refusal(refusal)
        ])
        return
      }
      var state = session.value(of: values)
      var rest = told.steps[...]
      add([
        Counterexample.call(
          move, isRefused: told.endWasRefused, in: session.canonical(values), session.setup.clock)
      ])
      let isOwn = if case .time = move { false } else { !told.endWasRefused }
      if isOwn, case .passed(let commit)? = rest.first?.outcome {
        rest = rest.dropFirst()
        let new = state.applying(commit.writes)
        add(["expect.change {\(Counterexample.leaves(state, new, session))}"])
        state = new
      }
      if told.ranQueue, move != .time { add(["settle()"]) }
      add(Counterexample.expectations(rest, from: state, to: StateForm.decoded(told.tree), session))
    }
  }

  /// Returns the expectations about the actions that came from the queue.
  private static func expectations(
    _ steps: ArraySlice<ExploredStep>, from old: Value, to new: Value, _ session: StateSearch
  ) -> [String] {
    var lines: [String] = []
    var passed: [String] = []
    var refusals: [String: Refusal] = [:]
    for step in steps {
      switch step.outcome {
      case .passed(let commit): passed.append(commit.action)
      case .refused(let refusal): refusals[refusal.action] = refusal
      case .failed: break
      }
    }
    if !passed.isEmpty { lines.append("-- followed by \(passed.joined(separator: ", "))") }
    let leaves = leaves(old, new, session)
    if !leaves.isEmpty { lines.append("expect {\(leaves)}") }
    for (name, refusal) in refusals.sorted(by: { $0.key < $1.key }) {
      lines.append("\(Names.dotted("expect.refused", name))()\(Counterexample.refusal(refusal))")
    }
    return lines
  }

  private static func refusal(_ refusal: Refusal) -> String {
    ":by(\(Value.quoted(refusal.rejectedBy.description, limit: .max)))"
      + (refusal.lastingReason.map { ":because(\(Value.quoted($0, limit: .max)))" } ?? "")
  }

  /// Returns the places that differ, as the fields of a table; secret values are omitted.
  private static func leaves(_ old: Value, _ new: Value, _ session: StateSearch) -> String {
    var known: Set<StatePath> = []
    let leaves = old.leaves(changedTo: new).compactMap { change -> String? in
      if let secrets = session.flow.flow.secrets,
        secrets.hiding(change.new, at: change.path) != change.new
      {
        return nil
      }
      // If a table was removed, name the table instead of its fields.
      let keys = change.path.keys
      let gone = (1...max(1, keys.count)).map { StatePath(Array(keys.prefix($0))) }
        .first { (new.value(at: $0) ?? .nil).isNil }
      let path = change.new.isNil ? gone ?? change.path : change.path
      guard known.insert(path).inserted else { return nil }
      return "\(Value.key(path.description)) = \(change.new.isNil ? "none" : change.new.source)"
    }
    return leaves.isEmpty ? "" : " \(leaves.joined(separator: ", ")) "
  }
}
