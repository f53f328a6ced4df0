import FlowLanguage
import LuaRuntime

/// Effects that are held at their first wait: who plays a flow says how they end.
///
/// What such an effect does before it waits happens. Then it stays where it is, whatever it waits for, until
/// it is finished from outside, or stopped as any other.
extension Engine {
  /// The name by which an effect is held: its action's, its own, or its state's, as `player.loading`.
  package static func heldName(of effect: Effect) -> String { effect.state ?? effect.function.name }

  /// Whether an effect waits for nobody but who finishes it.
  func isHeld(_ running: RunningEffects.Running?) -> Bool {
    if instrumentation != nil { return true }
    guard !settings.pausedEffects.isEmpty, let running else { return false }
    return settings.pausedEffects.contains(Engine.heldName(of: running.root.effect))
  }

  /// The names by which effects of the flow can be held.
  package var heldNames: [String] {
    Set((flow.effects + flow.stateEffects).map(Engine.heldName)).sorted()
  }

  /// Ends the oldest held effect of that name, and offers an action that follows on it.
  ///
  /// - Parameter following: the payload of the action that the effect itself follows on; nil for any.
  /// Gives what becomes of that, if one follows, or nil where none is held.
  package func finish(
    _ effect: String, with action: String?, _ payload: Value, following: Value? = nil
  ) -> Outcome?? {
    guard
      let running = effects.all.first(where: {
        Engine.heldName(of: $0.effect) == effect
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

  /// The next draws of chance have these results.
  package func give(draws: [Value]) { caseState.give(draws: draws) }

  /// The result that was given for a draw; nil where none was.
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
