import FlowKernel
import FlowLanguage
import LuaRuntime

/// A flow at work, in which the cases of a log take turns: one VM is enough for all of them.
///
/// What cannot be put aside has a stage of its own for each case (`Engine.keepBeginning`).
final class CaseStage {
  private let engine: Engine
  private let beginning: Engine.Beginning?
  private let lines: PrintedByCases
  private let print: @Sendable (String) -> Void
  private let printedAtStart: [String]
  /// Whose turn it is.
  private var player: CasePlayer?
  private var isAtBeginning = true
  private var isSilent: Bool

  /// - Parameter isSilent: whether what scripts print as the flow starts is not told.
  init(
    _ flow: LoadedFlow, _ limits: Limits, isSilent: Bool,
    print: @escaping @Sendable (String) -> Void
  ) throws {
    let lines = PrintedByCases(isSilent: isSilent)
    (self.lines, self.print, self.isSilent) = (lines, print, isSilent)
    engine = try Engine(
      flow, limits: limits, log: ScriptLog { if lines.add($0) { print($0) } })
    engine.turnOffEffectsAndTimers()
    // Too much to keep has to be printed again by every case.
    if let printed = lines.kept {
      printedAtStart = printed
      beginning = engine.keepBeginning()
    } else {
      (printedAtStart, beginning) = ([], nil)
    }
  }

  /// Whether more than one case may be played.
  var isShared: Bool { beginning != nil }

  /// Tells, and notes as printed, what the flow printed as it started.
  func printStart(isSilent: Bool) {
    lines.set(isSilent: isSilent)
    self.isSilent = isSilent
    for line in printedAtStart where lines.add(line) { print(line) }
  }

  /// Whether a script has asked for the time since the life under way began.
  var hasReadClock: Bool { engine.hasReadClock }

  /// What was printed since this was last asked; nil if it was too much to keep.
  func takePrinted() -> [String]? { lines.take() }

  /// Offers an action in the life of a case, at a time in microseconds since that began.
  ///
  /// Gives why it did not pass.
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

  /// Makes the engine the life of another case.
  private func enter(_ next: CasePlayer) throws {
    guard let beginning else { return player = next }
    // A case that nobody else holds is over.
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
    kind: .memory, message: "there is no memory to put a case aside")
}
