import Moonlatch
import Synchronization

/// A flow of its own for one case, at work.
final class CasePlayer {
  private let engine: Engine
  private let lines: Lines

  /// - Parameter isSilent: whether what scripts print is not told.
  init(
    _ flow: LoadedFlow, _ limits: Limits, isSilent: Bool,
    print: @escaping @Sendable (String) -> Void
  ) throws {
    let lines = Lines(isSilent: isSilent)
    self.lines = lines
    engine = try Engine(
      flow, limits: limits, log: ScriptLog { if lines.add($0) { print($0) } })
    engine.turnOffEffectsAndTimers()
  }

  /// Whether a script has asked for the time since the flow was loaded: what the case came to may
  /// follow from when its events were.
  var hasReadClock: Bool { engine.hasReadClock }

  /// What was printed since this was last asked; nil if it was too much to keep.
  func takePrinted() -> [String]? { lines.take() }

  func speak() { lines.speak() }

  /// Offers an action at a time, in microseconds since the case began.
  ///
  /// Gives why it did not pass.
  func play(_ action: String, _ payload: Value, at time: Int) -> ReplayDeviation.Why? {
    engine.setTime(time)
    return ReplayDeviation.Why(engine.dispatch(action, payload))
  }

  /// What scripts printed, kept until it is taken.
  private final class Lines: Sendable {
    private struct State {
      var isSilent: Bool
      var lines: [String] = []
      var size = 0
    }

    private static let most = 1 << 12

    private let state: Mutex<State>

    init(isSilent: Bool) { state = Mutex(State(isSilent: isSilent)) }

    /// Keeps a line; gives whether it is to be told.
    func add(_ line: String) -> Bool {
      state.withLock { state in
        state.size += line.utf8.count
        if state.size <= Lines.most, state.lines.count < 100 { state.lines.append(line) }
        return !state.isSilent
      }
    }

    func take() -> [String]? {
      state.withLock { state in
        defer { (state.lines, state.size) = ([], 0) }
        return state.size <= Lines.most && state.lines.count < 100 ? state.lines : nil
      }
    }

    func speak() { state.withLock { $0.isSilent = false } }
  }
}
