import FlowKernel
import FlowLanguage
import LuaRuntime

/// A running flow on which the cases of a log take turns, so that one VM is enough for all of them.
///
/// If the flow cannot be put aside (`Engine.keepBeginning`), each case has a stage of its own.
final class CaseStage {
  private let engine: Engine
  private let beginning: Engine.Beginning?
  private let lines: PrintedByCases
  private let print: @Sendable (String) -> Void
  private let printedAtStart: [String]
  /// The case that is being played.
  private var player: CasePlayer?
  private var isAtBeginning = true
  private var isSilent: Bool

  /// - Parameter isSilent: true if lines that scripts print as the flow starts are not reported.
  init(
    _ flow: LoadedFlow, _ limits: Limits, isSilent: Bool,
    print: @escaping @Sendable (String) -> Void
  ) throws {
    let lines = PrintedByCases(isSilent: isSilent)
    (self.lines, self.print, self.isSilent) = (lines, print, isSilent)
    engine = try Engine(
      flow, limits: limits, log: ScriptLog { if lines.add($0) { print($0) } })
    engine.turnOffEffectsAndTimers()
    // If the lines are too many to store, every case has to print them again.
    if let printed = lines.kept {
      printedAtStart = printed
      beginning = engine.keepBeginning()
    } else {
      (printedAtStart, beginning) = ([], nil)
    }
  }

  /// True if more than one case may be played on the stage.
  var isShared: Bool { beginning != nil }

  /// Reports, and stores as printed, the lines that the flow printed as it started.
  func printStart(isSilent: Bool) {
    lines.set(isSilent: isSilent)
    self.isSilent = isSilent
    for line in printedAtStart where lines.add(line) { print(line) }
  }

  /// True if a script has read the clock since the current case began.
  var hasReadClock: Bool { engine.hasReadClock }

  /// Returns the lines printed since the last call; nil if they were too many to store.
  func takePrinted() -> [String]? { lines.take() }

  /// Dispatches an action in a case, at a time in microseconds since the case began.
  ///
  /// Returns the reason that it did not pass, or nil if it passed.
  func play(
    _ action: String, _ payload: Value, at time: Int, of next: CasePlayer
  ) throws -> ReplayDeviation.RejectionReason? {
    if player !== next { try enter(next) }
    isAtBeginning = false
    if isSilent != next.isSilent {
      isSilent = next.isSilent
      lines.set(isSilent: isSilent)
    }
    engine.setTime(time)
    return ReplayDeviation.RejectionReason(engine.dispatch(fromInside: action, payload))
  }

  /// Switches the engine to another case.
  private func enter(_ next: CasePlayer) throws {
    guard let beginning else { return player = next }
    // A case to which nobody else refers is over.
    if player != nil, !isKnownUniquelyReferenced(&player), let last = player {
      guard let life = engine.putAside(beginning, after: last.life) else {
        throw CaseStage.noMemory
      }
      last.life = life
    } else if !isAtBeginning, !engine.begin(beginning) {
      throw CaseStage.noMemory
    }
    if let life = next.life { engine.takeUp(life) }
    player = next
  }

  private static let noMemory = ScriptError(
    kind: .memory, message: "there is not enough memory to store a case")
}
