import LuaRuntime
import StateBlocks

extension CanonicalState.Content {
  /// Returns the content with the two values exchanged.
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
  /// Returns the state with the two values exchanged.
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
