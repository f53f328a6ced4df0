import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime

/// A counterexample: the shortest path to a finding, as a scenario file.
struct Counterexample: Sendable {
  /// The statements of the scenario, one per line.
  private(set) var lines: [String] = []
  private var held: Set<String> = []
  private var draws: [Value] = []

  /// Creates an empty counterexample.
  init() {}

  /// Creates the path to a finding; as a scenario it fails at its last step.
  init?(_ found: explore_finding, in session: StateSearch) {
    guard found.state != EXPLORE_NONE else {
      guard let part = session.given(before: found), part != [:] else { return nil }
      addGiven(part)
      if let property = session.property(found) {
        addFailure("\(property.title) does not hold here")
      }
      return
    }
    addBeginning(of: found.state, session)
    add(session.path(to: found.state), session)
    // The last move: a fault, a step, or the way to a state that is not stored.
    if found.mover != EXPLORE_NONE {
      var found = found
      explore_find_draws(session.search, &found)
      add(found.mover, found.outcomes, in: found.state, session)
    }
    if found.found == EXPLORE_DEADLOCK { addDeadlock(session.setup) }
    if let property = session.property(found) { addFailure("\(property.title) does not hold here") }
    open()
  }

  /// Creates the path to a loop, followed by one round of the loop.
  init(_ lasso: StateSearch.Lasso, breaking property: Property, in session: StateSearch) {
    addBeginning(of: lasso.begin, session)
    add(session.path(to: lasso.begin) + lasso.steps, session)
    addFailure("\(property.title) is violated: \(lasso.sentence)")
    open()
  }

  /// Adds the `given` of the exploration file with which the path begins.
  mutating func addBeginning(of state: UInt32, _ session: StateSearch) {
    if let part = session.given(before: state), part != [:] { addGiven(part) }
    if !session.flow.flow.stateEffects.isEmpty { lines.append("  settle()") }
  }

  private mutating func addGiven(_ part: Value) { lines.append("  given \(part.source)") }

  mutating func addFailure(_ sentence: String) {
    lines.append("  assert(false, \(Value.quoted(sentence, limit: .max)))")
  }

  /// Adds lines from another source.
  mutating func add(_ more: [String]) { lines += more.map { "  \($0)" } }

  /// Prepends the stubs that hold effects, and the outcomes of chance.
  mutating func open() {
    var opening = held.sorted().map { "  \(Names.dotted("stub.effect", $0))()" }
    if !draws.isEmpty {
      opening.insert(
        "  given.random { \(draws.map(\.source).joined(separator: ", ")) }", at: 0)
    }
    lines = opening + lines
  }

  private mutating func add(_ path: [StateSearch.Lasso.Step], _ session: StateSearch) {
    for step in path {
      let outcomes = session.outcomes(of: step.trie, from: step.state, to: step.next)
      add(step.trie, outcomes, in: step.state, session)
    }
  }

  /// Adds a move that passes, without an expectation, and holds the effects that it starts.
  mutating func add(_ trie: UInt32, _ outcomes: [Int], in state: UInt32, _ session: StateSearch) {
    var begun = session.silentEffects
    session.values(of: state).withUnsafeBufferPointer { values in
      guard let (move, told) = try? session.tell(trie, values, outcomes) else { return }
      begun += session.effects(begun: told)
      add([
        Counterexample.call(
          move, isRefused: told.endWasRefused, in: session.canonical(values), session.setup.clock)
      ])
      if told.ranQueue, move != .time { add(["settle()"]) }
    }
    let draws = outcomes.isEmpty ? [] : session.drawn(by: trie, in: state, outcomes)
    note(session.effects(in: state) + begun, draws)
  }

  /// Records the effects to hold, and the next outcomes of chance.
  mutating func note(_ effects: [String], _ draws: [Value]) {
    held.formUnion(effects)
    self.draws += draws
  }

  /// Returns the statement that makes a move which passes.
  ///
  /// - Parameters:
  ///   - isRefused: true if the action with which an effect ends is refused.
  ///   - canonical: the rest of the state, besides its tree, before the move.
  ///   - clock: the passage of time.
  static func call(
    _ move: ExploredMove, isRefused: Bool, in canonical: CanonicalState, _ clock: ExploredClock
  ) -> String {
    switch move {
    case .action(let name, let payload): call("pass", name, payload)
    case .time: advance(canonical.delay(by: clock) ?? 0)
    case .end(let effect, let action, let payload):
      finish(effect, action, payload, isRefused: isRefused, among: canonical.effects)
    }
  }

  /// Returns a statement such as `advance(5)`.
  static func advance(_ microseconds: Int) -> String { "advance(\(seconds(microseconds)))" }

  /// Returns microseconds as seconds, such as `5` or `0.5`.
  private static func seconds(_ microseconds: Int) -> String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest == 0 ? "\(seconds)" : Value.text(of: Double(microseconds) / 1_000_000)
  }

  /// Returns a statement such as `pass.open()` or `refuse.open { by = 1 }`.
  static func call(_ verb: String, _ name: String, _ payload: Value) -> String {
    let source = payload == [:] ? "" : payload.source
    return Names.dotted(verb, name) + (source.hasPrefix("{") ? " \(source)" : "(\(source))")
  }

  /// Returns the statement that ends an effect; the payload selects it among effects of the same name.
  private static func finish(
    _ effect: ExploredEffect, _ action: String, _ payload: Value, isRefused: Bool,
    among effects: [ExploredEffect]
  ) -> String {
    var arguments: [String] = []
    // A refused action changes nothing: the effect just ends.
    if !action.isEmpty, !isRefused {
      arguments = [Value.quoted(action, limit: .max)]
      if payload != [:] { arguments.append(payload.source) }
    }
    let others = effects.filter { $0.name == effect.name }
    if others.contains(where: { $0.payload != effect.payload }) {
      if arguments.isEmpty { arguments.append("nil") }
      if arguments.count == 1 { arguments.append("{}") }
      arguments.append(effect.payload.source)
    }
    return "\(Names.dotted("finish", effect.name))(\(arguments.joined(separator: ", ")))"
  }

  /// Adds the lines that assert, after the last step, that some action may be dispatched.
  mutating func addDeadlock(_ setup: ExplorationSetup) {
    lines.append("  for _, step in ipairs {")
    for case .action(let name, let payload) in setup.moves {
      lines.append("    { \(Value.quoted(name, limit: .max)), \(payload.source) },")
    }
    lines += [
      "  } do", "    if may(step[1], step[2]) then return end", "  end",
      "  assert(false, \"deadlock: no step is possible here\")",
    ]
  }

  /// Returns the text of the file.
  func text(flow: String, title: String, about: String) -> String {
    ([
      Counterexample.mark, "-- \(about)", "",
      "flow \(Value.quoted(flow, limit: .max))", "",
    ] + scenario(title) + [""]).joined(separator: "\n")
  }

  /// Returns the scenario itself, one string per line.
  func scenario(_ title: String) -> [String] {
    ["scenario(\(Value.quoted(title, limit: .max)), function()"] + lines + ["end)"]
  }

  /// The first line of generated scenario files, which identifies them.
  static let mark = "-- Written by moonlatch explore."
}
