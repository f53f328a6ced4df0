import FlowLanguage
import LuaRuntime

/// Effects that are paused at their first wait, until they are finished from outside.
///
/// Such an effect runs up to its first wait. It then stays there, whatever it waits for, until it is finished from
/// outside, or stopped like any other effect.
extension Engine {
  /// Returns true if an effect is paused: only `finish` ends it.
  func isHeld(_ running: RunningEffects.Running?) -> Bool {
    if instrumentation != nil { return true }
    guard !settings.pausedEffects.isEmpty, let running else { return false }
    return settings.pausedEffects.contains(running.root.effect.heldName)
  }

  /// The names by which effects of the flow can be paused.
  package var heldNames: [String] {
    Set((flow.effects + flow.stateEffects).map(\.heldName)).sorted()
  }

  /// Ends the oldest paused effect of that name, and dispatches an action that follows it.
  ///
  /// - Parameter following: the payload of the action that the effect follows; nil for any.
  /// - Returns: the outcome of the action; an inner nil if there is no action, an outer nil if no such effect is
  ///   paused.
  package func finish(
    _ effect: String, with action: String?, _ payload: Value, following: Value? = nil
  ) -> Outcome?? {
    guard
      let running = effects.all.first(where: {
        $0.effect.heldName == effect
          && (following == nil || following == $0.commit.payload)
      }),
      isHeld(running)
    else { return nil }
    caseState.queue.outsideCame()
    drop(running.number)
    guard let action else { return .some(nil) }
    scratch.source = running.state
    defer { scratch.source = nil }
    return dispatch(action, payload, cause: running.cause)
  }

  // MARK: Chance

  /// Gives the results of the next random draws.
  package func give(draws: [Value]) { caseState.give(draws: draws) }

  /// Removes and returns the given result of a draw; nil if there is none.
  ///
  /// Throws if the given result does not fit the draw.
  func givenDraw(
    _ call: @autoclosure () -> String, _ fits: (Value) -> Bool
  ) throws(ScopeRefusal) -> Value? {
    guard let first = caseState.givenDraws.first else { return nil }
    guard fits(first) else {
      throw ScopeRefusal("given.random has \(first) where \(call()) is drawn")
    }
    caseState.takeGivenDraw()
    return first
  }
}
