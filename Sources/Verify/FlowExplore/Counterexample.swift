import CExplore
import FlowKernel
import FlowLanguage
import LuaRuntime

/// The shortest way to what was found, as a scenario file.
struct Counterexample: Sendable {
  /// What it does, a line each.
  private(set) var lines: [String] = []
  private var held: Set<String> = []
  private var draws: [Value] = []

  /// Nothing yet.
  init() {}

  /// The way to a finding, which fails as a scenario at its last step.
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
    // A fault, a step, or a state that is none of those that are kept.
    if found.mover != EXPLORE_NONE {
      var found = found
      explore_find_draws(session.search, &found)
      add(found.mover, found.outcomes, in: found.state, session)
    }
    if found.found == EXPLORE_DEADLOCK { addDeadlock(session.setup) }
    if let property = session.property(found) { addFailure("\(property.title) does not hold here") }
    open()
  }

  /// The way to a loop, and once round it.
  init(_ lasso: StateSearch.Lasso, breaking property: Property, in session: StateSearch) {
    addBeginning(of: lasso.begin, session)
    add(session.path(to: lasso.begin) + lasso.steps, session)
    addFailure("\(property.title) does not come about: \(lasso.sentence)")
    open()
  }

  /// What a file has given that the way begins with.
  mutating func addBeginning(of state: UInt32, _ session: StateSearch) {
    if let part = session.given(before: state), part != [:] { addGiven(part) }
    if !session.flow.flow.stateEffects.isEmpty { lines.append("  settle()") }
  }

  private mutating func addGiven(_ part: Value) { lines.append("  given \(part.source)") }

  mutating func addFailure(_ sentence: String) {
    lines.append("  assert(false, \(Value.quoted(sentence, limit: .max)))")
  }

  /// Adds lines of somebody else's.
  mutating func add(_ more: [String]) { lines += more.map { "  \($0)" } }

  /// Puts before the rest what holds effects, and what chance is to give.
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

  /// Adds a move that passes, without expecting anything of it, and holds the effects that begin there.
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

  /// Notes which effects are to be held, and what chance is to give next.
  mutating func note(_ effects: [String], _ draws: [Value]) {
    held.formUnion(effects)
    self.draws += draws
  }

  /// How a scenario makes a move that passes.
  ///
  /// - Parameters:
  ///   - isRefused: whether the action is refused that an effect ends with.
  ///   - canonical: what belongs to the state in which it is made.
  ///   - clock: what time does.
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

  /// `advance(5)`.
  static func advance(_ microseconds: Int) -> String { "advance(\(seconds(microseconds)))" }

  /// `5`, `0.5`.
  static func seconds(_ microseconds: Int) -> String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest == 0 ? "\(seconds)" : Value.text(of: Double(microseconds) / 1_000_000)
  }

  /// `pass.open()`, `refuse.open { by = 1 }`.
  static func call(_ verb: String, _ name: String, _ payload: Value) -> String {
    let source = payload == [:] ? "" : payload.source
    return Names.dotted(verb, name) + (source.hasPrefix("{") ? " \(source)" : "(\(source))")
  }

  /// How a scenario has an effect end: of those of its name the one that has got its payload.
  private static func finish(
    _ effect: ExploredEffect, _ action: String, _ payload: Value, isRefused: Bool,
    among effects: [ExploredEffect]
  ) -> String {
    var arguments: [String] = []
    // What is refused changes nothing but that the effect has ended.
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

  /// After the last step somebody asks whether anything leads on.
  mutating func addDeadlock(_ setup: ExplorationSetup) {
    lines.append("  for _, step in ipairs {")
    for case .action(let name, let payload) in setup.moves {
      lines.append("    { \(Value.quoted(name, limit: .max)), \(payload.source) },")
    }
    lines += [
      "  } do", "    if may(step[1], step[2]) then return end", "  end",
      "  assert(false, \"deadlock: nothing leads on from here\")",
    ]
  }

  /// The text of the file.
  func text(flow: String, title: String, about: String) -> String {
    ([
      Counterexample.mark, "-- \(about)", "",
      "flow \(Value.quoted(flow, limit: .max))", "",
    ] + scenario(title) + [""]).joined(separator: "\n")
  }

  /// The scenario itself, a line each.
  func scenario(_ title: String) -> [String] {
    ["scenario(\(Value.quoted(title, limit: .max)), function()"] + lines + ["end)"]
  }

  /// The first line of files that are written so, by which they are known.
  static let mark = "-- Written by moonlatch explore."
}
