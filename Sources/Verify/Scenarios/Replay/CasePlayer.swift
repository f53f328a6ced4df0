import FlowKernel
import LuaRuntime
import Synchronization

/// A life of the flow for one case.
final class CasePlayer {
  private let stage: CaseStage
  /// What it has become, while other cases are played where it was.
  var life: Engine.Life?
  /// Whether what scripts print is not told.
  private(set) var isSilent: Bool

  init(on stage: CaseStage, isSilent: Bool) { (self.stage, self.isSilent) = (stage, isSilent) }

  /// Whether a script has asked for the time since the flow was loaded: what the case came to may
  /// follow from when its events were.
  ///
  /// To be asked after an event, as long as no other case was played.
  var hasReadClock: Bool { stage.hasReadClock }

  /// What was printed since this was last asked; nil if it was too much to keep.
  func takePrinted() -> [String]? { stage.takePrinted() }

  func speak() { isSilent = false }

  /// Offers an action at a time, in microseconds since the case began.
  ///
  /// Gives why it did not pass.
  func play(
    _ action: String, _ payload: Value, at time: Int
  ) throws -> ReplayDeviation.RejectionReason? {
    try stage.play(action, payload, at: time, of: self)
  }
}

/// What scripts printed, kept until it is taken.
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

  /// Keeps a line; gives whether it is to be told.
  func add(_ line: String) -> Bool {
    state.withLock { state in
      state.size += line.utf8.count
      if state.size <= PrintedByCases.most, state.lines.count < 100 { state.lines.append(line) }
      return !state.isSilent
    }
  }

  /// What is kept; nil if it was too much.
  var kept: [String]? { state.withLock { $0.kept } }

  func take() -> [String]? {
    state.withLock { state in
      defer { if state.size > 0 || !state.lines.isEmpty { (state.lines, state.size) = ([], 0) } }
      return state.kept
    }
  }

  /// From now on, whether what is printed is not told.
  func set(isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }
}
