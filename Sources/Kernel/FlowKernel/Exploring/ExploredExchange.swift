import LuaRuntime
import StateBlocks

/// Two values that change places in a state.
package struct ExploredExchange {
  package let payload: (Value) -> Value
  package let option: (String) -> String
  /// Of the keys to a record of a machine.
  package let keys: (_ machine: String, _ keys: [Value]) -> [Value]

  package init(
    payload: @escaping (Value) -> Value, option: @escaping (String) -> String,
    keys: @escaping (_ machine: String, _ keys: [Value]) -> [Value]
  ) {
    (self.payload, self.option, self.keys) = (payload, option, keys)
  }

  package func callAsFunction(_ state: ActiveState) -> ActiveState {
    ActiveState(
      machine: state.machine, state: state.state, keys: keys(state.machine, state.keys))
  }

  private func callAsFunction(_ action: QueuedAction) -> QueuedAction {
    var cause = action.cause
    cause.passages = Dictionary(
      action.cause.passages.map {
        (GatekeeperOption(gatekeeper: $0.gatekeeper, option: option($0.option)), $1)
      }, uniquingKeysWith: { first, _ in first })
    return action.with(payload: payload(action.payload), cause: cause)
  }

  package func callAsFunction(_ timer: PendingTimer) -> PendingTimer {
    let owner: PendingTimer.Owner =
      switch timer.owner {
      case .state(let state): .state(self(state))
      case .stateEffect(let state): .stateEffect(self(state))
      case .postponed(let state): .postponed(self(state))
      case .instance, .effect, .nobody: timer.owner
      }
    return timer.owned(by: owner, timer.action.map { self($0) })
  }

  package func callAsFunction(_ effect: ExploredEffect) -> ExploredEffect {
    ExploredEffect(
      name: effect.name, title: effect.title, ordinal: effect.ordinal,
      state: effect.state.map { self($0) }, instance: effect.instance, began: self(effect.began))
  }
}

extension CanonicalState.Content {
  /// Returns it with the two values exchanged.
  package func exchanged(_ exchange: ExploredExchange) -> CanonicalState.Content {
    switch self {
    case .held, .time, .timerOrder: self
    case .options(let options):
      .options(
        Dictionary(
          options.map { (exchange.option($0.key), $0.value) },
          uniquingKeysWith: { first, _ in first }))
    case .timers(let timers): .timers(timers.map { exchange($0) })
    case .stateTimers(let timers):
      .stateTimers(
        timers.map { StateTimer(number: $0.number, delay: $0.delay, timer: exchange($0.timer)) })
    case .historyValues(let values):
      .historyValues(
        Dictionary(
          values.map { key, paths in
            let keys = exchange.keys(key.machine, key.keys)
            return (
              CaseState.Remembered(
                machine: key.machine, keys: keys, state: key.state, isDeep: key.isDeep), paths
            )
          }, uniquingKeysWith: { first, _ in first }))
    case .effects(let effects): .effects(ExploredEffect.inOrder(effects.map { exchange($0) }))
    }
  }
}

extension CanonicalState {
  /// Returns it with the two values exchanged.
  package func exchanged(_ exchange: ExploredExchange) -> CanonicalState {
    var moved = CanonicalState()
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
