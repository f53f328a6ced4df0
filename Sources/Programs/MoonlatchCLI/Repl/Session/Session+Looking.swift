import FlowKernel
import FlowTools
import LuaRuntime
import Scenarios

/// A session in the flow of a scenario, in the state in which the scenario ended.
extension Session {
  /// The part of a session that changes when it moves to another flow and back.
  struct Stage {
    fileprivate let engine: Engine
    fileprivate let loaded: LoadedFlow?
    fileprivate let coverage: CoverageNotes?
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

  /// Returns the name of a scenario's flow at the prompt: the file and line of the scenario.
  static func name(of halt: Halt) -> String { "\(shortName(halt.place.file)):\(halt.place.line)" }

  private var stage: Stage {
    get {
      Stage(
        engine: engine, loaded: loaded, coverage: coverage, name: name, text: text, played: played,
        clock: clock, stubs: stubs,
        unanswered: unanswered, beside: beside, viewValues: viewValues, halt: halt)
    }
    set {
      (engine, name, text, halt) = (newValue.engine, newValue.name, newValue.text, newValue.halt)
      (loaded, coverage) = (newValue.loaded, newValue.coverage)
      (played, clock, stubs) = (newValue.played, newValue.clock, newValue.stubs)
      (unanswered, beside) = (newValue.unanswered, newValue.beside)
      viewValues = newValue.viewValues
      if options.isInterruptible { Interruption.stops(engine.vm) }
    }
  }

  /// Keeps the flow of a scenario for `:look`, or moves there at once.
  ///
  /// - Parameter goes: true to move there at once.
  /// - Returns: a message about it.
  func keep(_ halt: Halt, goes: Bool) throws -> String {
    let own = stage
    let isOwn = self.halt == nil
    let session = isOwn ? own : aside ?? own
    do {
      (engine, loaded) = (halt.engine, nil)
      (name, self.halt) = (Session.name(of: halt), halt)
      text = SessionText(file: halt.flow, displayName: halt.flowName)
      (played, stubs, unanswered) = (PlayedSteps(), [], [])
      try Session.log(told, secretTexts, style).attach(to: engine.vm)
      try install()
    } catch {
      stage = own
      return "its state cannot be shown: \(error)"
    }
    if goes || !isOwn {
      aside = session
      return "this is the state of \(halt.place); :look goes back"
    }
    (aside, stage) = (stage, own)
    return style.quiet(":look goes to the final state of \(halt.place)")
  }

  /// Moves to the flow of the last run, or back from it.
  func look() throws -> String {
    guard let next = aside else {
      throw CommandError(
        halt == nil
          ? "there is no state to look at yet: use :run FILE first"
          : "there is no session to go back to; :quit continues")
    }
    letTimePass()
    (aside, stage) = (stage, next)
    return halt.map { "this is the state of \($0.place); :look goes back" }
      ?? "back in the session, at #\(revision)"
  }

  /// Throws if the session is in the flow of a scenario, which has nothing to save.
  func mustBeOwn() throws {
    guard let halt else { return }
    throw CommandError(
      "the inputs of \(halt.place) are in its file"
        + (aside == nil ? "" : "; :look goes back to the session"))
  }
}
