import FlowKernel
import LuaRuntime
import Platform

/// A player of one case: an instance of the flow for that case.
final class CasePlayer {
  private let stage: CaseStage
  /// The state of the flow for the case, while other cases are played on the same stage.
  var life: Engine.Life?
  /// True if lines that scripts print are not reported.
  private(set) var isSilent: Bool

  init(on stage: CaseStage, isSilent: Bool) { (self.stage, self.isSilent) = (stage, isSilent) }

  /// True if a script has read the clock since the flow was loaded, so that results may depend on the events' times.
  ///
  /// It is valid after an event of the case, as long as no other case has been played.
  var hasReadClock: Bool { stage.hasReadClock }

  /// Returns the lines printed since the last call; nil if they were too many to store.
  func takePrinted() -> [String]? { stage.takePrinted() }

  func speak() { isSilent = false }

  /// Dispatches an action at a time, in microseconds since the case began.
  ///
  /// Returns the reason that it did not pass, or nil if it passed.
  func play(
    _ action: String, _ payload: Value, at time: Int
  ) throws -> ReplayDeviation.RejectionReason? {
    try stage.play(action, payload, at: time, of: self)
  }
}

/// A store of the lines that scripts print, until they are taken.
final class PrintedByCases: Sendable {
  private struct State {
    var isSilent: Bool
    var lines: [String] = []
    var size = 0

    var kept: [String]? {
      size <= PrintedByCases.most && lines.count < 100 ? lines : nil
    }
  }

  private static let most = 1 << 12

  private let state: Mutex<State>

  init(isSilent: Bool) { state = Mutex(State(isSilent: isSilent)) }

  /// Stores a line; returns true if it is to be reported.
  func add(_ line: String) -> Bool {
    state.withLock { state in
      state.size += line.utf8.count
      if state.size <= PrintedByCases.most, state.lines.count < 100 { state.lines.append(line) }
      return !state.isSilent
    }
  }

  /// The lines that are stored; nil if they were too many.
  var kept: [String]? { state.withLock { $0.kept } }

  func take() -> [String]? {
    state.withLock { state in
      defer { if state.size > 0 || !state.lines.isEmpty { (state.lines, state.size) = ([], 0) } }
      return state.kept
    }
  }

  /// Sets whether further lines are not reported.
  func set(isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }
}
