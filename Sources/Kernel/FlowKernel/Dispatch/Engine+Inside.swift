import LuaRuntime

/// Internal actions: effects and timers alone dispatch them, or what plays them by hand.
extension Engine {
  /// Dispatches as if an effect or a timer offered the action: one that is internal passes too.
  package func dispatch(fromInside name: String, _ payload: Value) -> Outcome {
    fromInside { dispatch(name, payload) }
  }

  /// Admits internal actions while something is done.
  package func fromInside<Answer>(_ body: () -> Answer) -> Answer {
    let before = settings.admitsInternal
    settings.admitsInternal = true
    defer { settings.admitsInternal = before }
    return body()
  }

  /// What an internal action is answered with that comes from outside.
  func notFromOutside(_ action: LoadedAction) -> Refusal {
    Refusal(
      action: action.name, rejectedBy: .internal,
      reason: "\(action.name) comes from effects and timers only", place: action.place)
  }

  /// Whether a dispatch was played by hand as an effect's: the action is internal, and that was not what
  /// it came to.
  package func wasFromInside(_ name: String, _ outcome: String) -> Bool {
    guard let action = action(named: name)?.takeUnretainedValue(), action.isInternal else {
      return false
    }
    return outcome != Outcome.refused(notFromOutside(action)).transcribed
  }
}
