import FlowKernel
import FlowTools
import LuaRuntime
import Scenarios

/// A session in the flow of a scenario, as that has left it.
extension Session {
  /// What changes where the session goes to another flow and comes back.
  struct Stage {
    fileprivate let engine: Engine
    fileprivate let name: String
    fileprivate let text: SessionText
    fileprivate let played: PlayedSteps
    fileprivate let clock: SessionClock
    fileprivate let stubs: [(name: String, source: String)]
    fileprivate let unanswered: [String]
    fileprivate let beside: GatekeepersAndScopes
    fileprivate let viewValues: [String: Value]
    fileprivate let halt: Halt?
  }

  /// How the prompt calls the flow of a scenario: after where that stands.
  static func name(of halt: Halt) -> String { "\(shortName(halt.place.file)):\(halt.place.line)" }

  private var stage: Stage {
    get {
      Stage(
        engine: engine, name: name, text: text, played: played, clock: clock, stubs: stubs,
        unanswered: unanswered, beside: beside, viewValues: viewValues, halt: halt)
    }
    set {
      (engine, name, text, halt) = (newValue.engine, newValue.name, newValue.text, newValue.halt)
      (played, clock, stubs) = (newValue.played, newValue.clock, newValue.stubs)
      (unanswered, beside) = (newValue.unanswered, newValue.beside)
      viewValues = newValue.viewValues
      if options.isInterruptible { Interruption.stops(engine.vm) }
    }
  }

  /// Keeps the flow of a scenario for `:look`, which goes there at once if something went wrong.
  ///
  /// - Returns: what to tell of it.
  func keep(_ halt: Halt, goes: Bool) throws -> String {
    let own = stage
    let isOwn = self.halt == nil
    let session = isOwn ? own : aside ?? own
    do {
      engine = halt.engine
      (name, self.halt) = (Session.name(of: halt), halt)
      text = SessionText(file: halt.flow, displayName: halt.flowName)
      (played, stubs, unanswered) = (PlayedSteps(), [], [])
      try Session.log(told, secretTexts, style).attach(to: engine.vm)
      try install()
    } catch {
      stage = own
      return "its state cannot be looked at: \(error)"
    }
    if goes || !isOwn {
      aside = session
      return "this is where \(halt.place) stands; :look goes back"
    }
    (aside, stage) = (stage, own)
    return style.quiet(":look goes to the state that \(halt.place) has left")
  }

  /// Goes to where the last run ended, or back from there.
  func look() throws -> String {
    guard let next = aside else {
      throw CommandError(
        halt == nil
          ? "there is nothing to look at yet: :run FILE leaves its last state"
          : "there is no session to go back to; :quit goes on")
    }
    letTimePass()
    (aside, stage) = (stage, next)
    return halt.map { "this is where \($0.place) stands; :look goes back" }
      ?? "back in the session, at #\(revision)"
  }

  /// Says why there is nothing to save where a scenario has played.
  func mustBeOwn() throws {
    guard let halt else { return }
    throw CommandError(
      "what \(halt.place) has played stands in its file"
        + (aside == nil ? "" : "; :look goes back to the session"))
  }
}
