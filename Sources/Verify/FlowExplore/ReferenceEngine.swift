import FlowKernel
import FlowLanguage
import LuaRuntime

/// An engine that plays moves from one state to the next, and of which nothing is learned.
final class ReferenceEngine {
  struct State: Hashable, Sendable {
    let tree: [UInt8]
    let canonical: CanonicalState

    var value: Value { StateForm.decoded(tree) }
  }

  /// What a move came to.
  struct Play {
    let ending: ExploredRun.Ending
    /// The state that it leads to.
    let state: State
    /// How many outcomes each draw had.
    let outcomes: [Int]
    /// What the draws gave.
    let drawn: [Value]
    /// Whether the action was refused that an effect ended with.
    let endWasRefused: Bool
    /// Whether something has come from the queue.
    let ranQueue: Bool
  }

  let setup: ExplorationSetup
  let engine: Engine
  var flow: Flow { engine.flow }

  /// - Parameter setup: whose time, chance and answers are taken, and whose functions are asked.
  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) throws {
    self.setup = setup
    engine = try Engine(
      flow, limits: setup.limits, log: ScriptLog { _ in }, exploredFor: setup.host)
    engine.settings.exploredUnits = setup.units
    engine.settings.exploredClock = setup.clock
    try setup.said.install(in: engine.vm, limits: setup.limits)
    try engine.startExploring(traces: false, silent: setup.silentEffects)
  }

  /// The state as it is declared, once what it begins with has been played.
  func begin() throws -> State {
    let (canonical, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(beginning: failure) }
    return State(tree: try engine.vm.stateBytes(after: []), canonical: canonical)
  }

  /// The same with a part merged into it that a file gives.
  func begin(with given: ExplorationSpec.Given, in state: State) throws -> State {
    try engine.load(state: state.tree, state.canonical)
    let (canonical, failure) = engine.exploreGiven(given.part)
    if let failure { throw given.fault(failure) }
    return State(tree: try engine.vm.stateBytes(after: []), canonical: canonical)
  }

  /// Plays a move.
  ///
  /// - Parameter draws: what chance gives, an outcome of each draw; behind them the first one.
  /// - Throws: `ExplorationError` for what cannot be explored.
  func play(_ move: ExploredMove, draws: [Int] = [], from state: State) throws -> Play {
    try engine.load(state: state.tree, state.canonical)
    let run = try engine.check(move, draws: draws)
    if let problem = run.problem { throw ExplorationError(.flow, setup.sentence(problem, move)) }
    return Play(
      ending: run.ending, state: State(tree: run.tree, canonical: run.canonical),
      outcomes: run.outcomes,
      drawn: engine.explorersDraws, endWasRefused: engine.explorerEndWasRefused,
      ranQueue: engine.explorerRanQueue)
  }

  /// The invariants that do not hold in a state.
  func brokenInvariants(in state: State) throws -> [(name: String, failure: DispatchFailure)] {
    if flow.invariants.isEmpty { return [] }
    try engine.load(state: state.tree, state.canonical)
    return try flow.invariants.enumerated().compactMap { number, invariant in
      try engine.checkExplored(invariant: number).map { (invariant.function.name, $0) }
    }
  }

  /// What the effects under way may end with.
  func ends(in state: State) throws -> [(
    effect: ExploredEffect, answers: [ExplorationSetup.Answer]
  )] {
    var known: Set<ExploredEffect> = []
    return try state.canonical.effects.filter { known.insert($0).inserted }.map { effect in
      guard case .asked(let function)? = setup.said.answers[effect.title] else {
        return (effect, setup.answers(to: effect))
      }
      let told = try ask(
        function, [.integer(function.number), effect.payload], named: "explore_answers", in: state)
      return (effect, try function.answers(told, engine, in: shown(state)))
    }
  }

  /// What a function of the file says of a state.
  func verdict(_ function: AskedFunction, in state: State) throws -> AskedFunction.Verdict {
    let said = try ask(function, [.integer(function.number)], named: "explore_ask", in: state)
    return try function.verdict(said, in: shown(state))
  }

  /// What a function of the file says of a step.
  func verdict(
    _ function: AskedFunction, of move: ExploredMove, from before: State, to after: State
  ) throws -> AskedFunction.Verdict {
    let said = try ask(
      function, [.integer(function.number), .boolean(false), after.value, move.told],
      named: "explore_step", in: before)
    return try function.verdict(said, in: "\(shown(before)) and then \(shown(after))")
  }

  private func ask(
    _ function: AskedFunction, _ arguments: [Value], named name: String, in state: State
  ) throws -> Result<[Value], ScriptError> {
    try engine.load(state: state.tree, state.canonical)
    let said = engine.answer(asking: try engine.vm.preludeFunction(name), arguments)
    if let problem = engine.explorersProblem {
      throw ExplorationError(
        .setup, "\(function.place): \(setup.sentence(problem, by: function.title))")
    }
    return said
  }

  /// A state for people.
  func shown(_ state: State) -> String {
    let value = state.value
    return (flow.secrets?.hiding(value, at: StatePath([])) ?? value).text(limit: 200)
  }

  /// Whether nothing needs to lead on: all machines stand in final states, or time has come to its bound.
  func isOver(_ state: State) -> Bool {
    if let upTo = setup.clock.upTo, state.canonical.time >= upTo { return true }
    let (finals, value) = (flow.finalStates, state.value)
    return !finals.isEmpty
      && finals.allSatisfy { field, names in
        value[field]?.stringValue.map { names.contains($0) } ?? false
      }
  }
}
