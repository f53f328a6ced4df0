import CExplore
import LuaRuntime
import Moonlatch

/// The shortest way to what was found, as a scenario file.
struct Counterexample: Sendable {
  private var lines: [String] = []
  private var held: Set<String> = []
  private var draws: [Value] = []

  /// The way to a finding, which fails as a scenario at its last step.
  init?(_ found: explore_finding, in session: Session) {
    guard found.state != EXPLORE_NONE else { return nil }
    addBeginning(of: found.state, session)
    for step in session.path(to: found.state) {
      add(step.trie, in: step.state, to: step.next, session)
    }
    switch found.found {
    case EXPLORE_FAULT: add(found.mover, in: found.state, to: nil, session)
    case EXPLORE_NO where found.mover != EXPLORE_NONE:
      add(found.mover, in: found.state, to: nil, session)
    case EXPLORE_DEADLOCK: addDeadlock(session)
    default: break
    }
    if let property = session.property(found) { addFailure("\(property.title) does not hold here") }
    open()
  }

  /// The way to a loop, and once round it.
  init(_ lasso: Session.Lasso, breaking property: Property, in session: Session) {
    addBeginning(of: lasso.begin, session)
    for step in session.path(to: lasso.begin) + lasso.steps {
      add(step.trie, in: step.state, to: step.next, session)
    }
    addFailure("\(property.title) does not come about: \(lasso.sentence)")
    open()
  }

  /// What a file has given that the way begins with.
  private mutating func addBeginning(of state: UInt32, _ session: Session) {
    if let part = session.given(before: state), part != [:] {
      lines.append("  given \(part.source)")
    }
    if !session.flow.flow.stateEffects.isEmpty { lines.append("  settle()") }
  }

  private mutating func addFailure(_ sentence: String) {
    lines.append("  assert(false, \(Value.quoted(sentence, limit: .max)))")
  }

  private mutating func open() {
    var opening = held.sorted().map { "  \(Names.dotted("stub.effect", $0))()" }
    if !draws.isEmpty {
      opening.insert(
        "  given.random { \(draws.map(\.source).joined(separator: ", ")) }", at: 0)
    }
    lines = opening + lines
  }

  private mutating func add(
    _ trie: UInt32, in state: UInt32, to next: UInt32?, _ session: Session
  ) {
    let values = session.values(of: state)
    values.withUnsafeBufferPointer { values in
      let move = session.move(trie, values)
      let run = session.replay(trie, values)
      switch move {
      case .action(let name, let payload)?:
        lines.append("  \(Names.dotted("pass", name))(\(payload == [:] ? "" : payload.source))")
      case .time?:
        let after = session.ledger(values).delay(by: session.setup.clock) ?? 0
        lines.append("  advance(\(Value.text(of: Double(after) / 1_000_000)))")
      case .end(let effect, let action, let payload)?:
        lines.append(
          "  \(finish(effect, action, payload, isRefused: run.isEndRefused, values, session))")
      case nil: break
      }
      if run.hasQueued, move != .time { lines.append("  settle()") }
    }
    held.formUnion(session.effects(in: state) + session.silentEffects)
    if let next { draws += session.draws(of: trie, from: state, to: next) }
  }

  /// How a scenario has an effect end: of those of its name the one that has got its payload.
  private func finish(
    _ effect: ExploredEffect, _ action: String, _ payload: Value, isRefused: Bool,
    _ values: Session.Values, _ session: Session
  ) -> String {
    var arguments: [String] = []
    // What is refused changes nothing but that the effect has ended.
    if !action.isEmpty, !isRefused {
      arguments = [Value.quoted(action, limit: .max)]
      if payload != [:] { arguments.append(payload.source) }
    }
    let others = session.ledger(values).effects.filter { $0.name == effect.name }
    if others.contains(where: { $0.payload != effect.payload }) {
      if arguments.isEmpty { arguments.append("nil") }
      if arguments.count == 1 { arguments.append("{}") }
      arguments.append(effect.payload.source)
    }
    return "\(Names.dotted("finish", effect.name))(\(arguments.joined(separator: ", ")))"
  }

  /// After the last step somebody asks whether anything leads on.
  private mutating func addDeadlock(_ session: Session) {
    lines.append("  for _, step in ipairs {")
    for case .action(let name, let payload) in session.setup.moves {
      lines.append("    { \(Value.quoted(name, limit: .max)), \(payload.source) },")
    }
    lines += [
      "  } do", "    if may(step[1], step[2]) then return end", "  end",
      "  assert(false, \"deadlock: nothing leads on from here\")",
    ]
  }

  /// The text of the file.
  func text(flow: String, title: String) -> String {
    ([
      Counterexample.mark, "-- It fails, and is of the fewest steps that do.", "",
      "flow \(Value.quoted(flow, limit: .max))", "",
      "scenario(\(Value.quoted(title, limit: .max)), function()",
    ] + lines + ["end)", ""]).joined(separator: "\n")
  }

  /// The first line of files that are written so, by which they are known.
  static let mark = "-- Written by moonlatch explore."
}
