import LuaRuntime
import StateBlocks

/// An exchange of two values in a state.
package struct ExploredExchange {
  package let payload: (Value) -> Value
  package let option: (String) -> String
  /// Exchanges the values in the keys of a record of a machine.
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
