import FlowKernel
import FlowLanguage
import LuaRuntime

extension Counterexample {
  /// Creates a counterexample from the steps of a walk and the violation at their end.
  init(
    _ steps: [Walker.Replayed], given part: Value, _ fault: WalkFault, _ flow: Flow,
    _ setup: ExplorationSetup
  ) {
    self.init()
    if part != [:] { add(["given \(part.source)"]) }
    if !flow.stateEffects.isEmpty { add(["settle()"]) }
    let silent = flow.effects.filter { setup.silentEffects.contains($0.title) }.map(\.function.name)
    for made in steps {
      let canonical = made.before.canonical
      add([
        Counterexample.call(
          made.step.move, isRefused: made.play.endWasRefused, in: canonical, setup.clock)
      ])
      if made.play.ranQueue, made.step.move != .time { add(["settle()"]) }
      let effects = canonical.effects + made.play.state.canonical.effects
      note(effects.map(\.name) + silent, made.play.drawn)
    }
    switch fault {
    case .property(let number):
      addFailure("\(setup.said.properties[number].title) does not hold here")
    case .deadlock: addDeadlock(setup)
    case .invariant, .failure: break
    }
    open()
  }
}
