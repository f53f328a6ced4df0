import FlowKernel
import FlowLanguage
import LuaRuntime

/// An engine that plays moves from one state to the next and learns nothing.
final class ReferenceEngine {
  struct State: Hashable, Sendable {
    let tree: [UInt8]
    let canonical: CanonicalState

    var value: Value { StateForm.decoded(tree) }
  }

  /// The result of a move.
  struct Play {
    let ending: ExploredRun.Ending
    /// The state after the move.
    let state: State
    /// The number of outcomes of each draw.
    let outcomes: [Int]
    /// The values that were drawn.
    let drawn: [Value]
    /// True if the action with which an effect ended was refused.
    let endWasRefused: Bool
    /// True if an action from the queue was played.
    let ranQueue: Bool
  }

  let setup: ExplorationSetup
  let engine: Engine
  var flow: Flow { engine.flow }

  /// Creates an engine.
  ///
  /// - Parameter setup: supplies time, chance and answers, and the functions of the exploration file.
  init(_ flow: LoadedFlow, _ setup: ExplorationSetup) throws {
    self.setup = setup
    engine = try Engine(
      flow, limits: setup.limits, log: ScriptLog { _ in }, exploredFor: setup.host)
    engine.settings.exploredUnits = setup.units
    engine.settings.exploredClock = setup.clock
    try setup.said.install(in: engine.vm, limits: setup.limits)
    try engine.startExploring(traces: false, silent: setup.silentEffects)
  }

  /// Returns the declared state after the flow's first actions have been played.
  func begin() throws -> State {
    let (canonical, failure) = engine.beginExploring()
    if let failure { throw ExplorationError(beginning: failure) }
    return State(tree: try engine.vm.stateBytes(after: []), canonical: canonical)
  }

  /// Returns an initial state with a part of the exploration file merged into it.
  func begin(with given: ExplorationSpec.Given, in state: State) throws -> State {
    try engine.load(state: state.tree, state.canonical)
    let (canonical, failure) = engine.exploreGiven(given.part)
    if let failure { throw given.fault(failure) }
    return State(tree: try engine.vm.stateBytes(after: []), canonical: canonical)
  }

  /// Plays a move.
  ///
  /// - Parameter draws: the outcomes of the first draws; each further draw gets its first outcome.
  /// - Throws: `ExplorationError` if the move cannot be explored.
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

  /// Returns the invariants that do not hold in a state.
  func brokenInvariants(in state: State) throws -> [(name: String, failure: DispatchFailure)] {
    if flow.invariants.isEmpty { return [] }
    try engine.load(state: state.tree, state.canonical)
    return try flow.invariants.enumerated().compactMap { number, invariant in
      try engine.checkExplored(invariant: number).map { (invariant.function.name, $0) }
    }
  }

  /// Returns the running effects, each with the answers with which it may end.
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

  /// Returns the verdict of a function of the exploration file on a state.
  func verdict(_ function: AskedFunction, in state: State) throws -> AskedFunction.Verdict {
    let said = try ask(function, [.integer(function.number)], named: "explore_ask", in: state)
    return try function.verdict(said, in: shown(state))
  }

  /// Returns the verdict of a function of the exploration file on a step.
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

  /// Returns a state as text for messages, with secrets hidden.
  func shown(_ state: State) -> String {
    let value = state.value
    return (flow.secrets?.hiding(value, at: StatePath([])) ?? value).text(limit: 200)
  }

  /// Returns true if the state is an end: all machines are in final states, or time has reached its bound.
  func isOver(_ state: State) -> Bool {
    if let upTo = setup.clock.upTo, state.canonical.time >= upTo { return true }
    let (finals, value) = (flow.finalStates, state.value)
    return !finals.isEmpty
      && finals.allSatisfy { field, names in
        value[field]?.stringValue.map { names.contains($0) } ?? false
      }
  }
}
