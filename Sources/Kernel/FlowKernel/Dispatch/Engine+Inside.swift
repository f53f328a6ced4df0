import LuaRuntime

/// Internal actions, which only effects, timers, and tools that play their part dispatch.
extension Engine {
  /// Dispatches an action as if an effect or a timer did: an internal action passes too.
  package func dispatch(fromInside name: String, _ payload: Value) -> Outcome {
    fromInside { dispatch(name, payload) }
  }

  /// Calls a function during which internal actions are accepted.
  package func fromInside<Answer>(_ body: () -> Answer) -> Answer {
    let before = settings.admitsInternal
    settings.admitsInternal = true
    defer { settings.admitsInternal = before }
    return body()
  }

  /// Returns the refusal of an internal action that comes from outside.
  func notFromOutside(_ action: LoadedAction) -> Refusal {
    Refusal(
      action: action.name, rejectedBy: .internal,
      reason: "only effects and timers can dispatch \(action.name)", place: action.place)
  }

  /// Returns true if a recorded dispatch was played by hand in the part of an effect.
  ///
  /// So it was if the action is internal and was not refused because of that.
  package func wasFromInside(_ name: String, _ outcome: String) -> Bool {
    guard let action = action(named: name)?.takeUnretainedValue(), action.isInternal else {
      return false
    }
    return outcome != Outcome.refused(notFromOutside(action)).transcribed
  }
}
