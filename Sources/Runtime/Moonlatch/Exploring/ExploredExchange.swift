import LuaRuntime
import StateBlocks

/// What becomes of parts of a state when two values change places in it.
package struct ExploredExchange {
  let payload: (Value) -> Value
  let option: (String) -> String
  /// Of the keys to a record of a machine.
  let keys: (_ machine: String, _ keys: [Value]) -> [Value]

  package init(
    payload: @escaping (Value) -> Value, option: @escaping (String) -> String,
    keys: @escaping (_ machine: String, _ keys: [Value]) -> [Value]
  ) {
    (self.payload, self.option, self.keys) = (payload, option, keys)
  }

  func callAsFunction(_ state: ActiveState) -> ActiveState {
    ActiveState(
      machine: state.machine, state: state.state, keys: keys(state.machine, state.keys))
  }

  func callAsFunction(_ chain: ExploredChain) -> ExploredChain {
    var moved = ExploredChain()
    for (passage, isCurrent) in chain.passages {
      moved.passages[
        GatekeeperOption(gatekeeper: passage.gatekeeper, option: option(passage.option))] =
        isCurrent
    }
    moved.scopeInstances = chain.scopeInstances
    return moved
  }

  func callAsFunction(_ timer: ExploredTimer) -> ExploredTimer {
    let owner: ExploredTimer.Owner =
      switch timer.owner {
      case .state(let state): .state(self(state))
      case .stateEffect(let state): .stateEffect(self(state))
      case .scope, .nobody: timer.owner
      }
    let action = ExploredAction(
      name: timer.action.name, payload: payload(timer.action.payload),
      transition: timer.action.transition,
      chain: self(timer.action.chain))
    return ExploredTimer(after: timer.after, every: timer.every, owner: owner, action: action)
  }

  package func callAsFunction(_ effect: ExploredEffect) -> ExploredEffect {
    ExploredEffect(
      name: effect.name, title: effect.title, ordinal: effect.ordinal,
      state: effect.state.map { self($0) }, scope: effect.scope, action: effect.action,
      payload: payload(effect.payload), chain: self(effect.chain))
  }
}

extension ExploredLedger.Content {
  /// What becomes of it.
  package func exchanged(_ exchange: ExploredExchange) -> ExploredLedger.Content {
    switch self {
    case .held, .time: self
    case .options(let options):
      .options(
        Dictionary(
          options.map { (exchange.option($0.key), $0.value) },
          uniquingKeysWith: { first, _ in first }))
    case .timers(let timers): .timers(timers.map { exchange($0) })
    case .memory(let memories):
      .memory(
        ExploredMemory.inOrder(
          memories.map { memory in
            let state = memory.state
            return ExploredMemory(
              state: CaseState.Remembered(
                machine: state.machine, keys: exchange.keys(state.machine, state.keys),
                state: state.state, isDeep: state.isDeep), paths: memory.paths)
          }))
    case .effects(let effects): .effects(ExploredEffect.inOrder(effects.map { exchange($0) }))
    }
  }
}

extension ExploredLedger {
  /// What becomes of it.
  package func exchanged(_ exchange: ExploredExchange) -> ExploredLedger {
    var moved = ExploredLedger()
    for (part, content) in parts {
      var part = part
      if case .option(let gatekeeper, let option) = part {
        part = .option(gatekeeper: gatekeeper, option: exchange.option(option))
      }
      moved[part] = content.exchanged(exchange)
    }
    return moved
  }
}
