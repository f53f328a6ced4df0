import ArgumentParser
import FlowKernel
import Platform
import Scenarios
import SharedCommands

/// The option `--debug`, which opens a prompt at each failure.
extension RunSession {
  /// Plays one scenario after the other in this process; leaving a prompt continues with the next.
  func debug() throws -> ExitCode {
    let filter = try makeFilter()
    let plan = RunPlan(selection, filter: filter, limits: settings.limits)
    let output = try makeOutput()
    for note in plan.notes { try output.hear(.nothing(note)) }
    var header = RunHeader()
    header.tool = "moonlatch \(Release.text)"
    header.seed = settings.seed
    try output.hear(.began(header))
    let runner = Runner(settings: settings)
    var isOver = false
    for unit in plan.units where !isOver {
      var halt: Halt?
      let event = play(unit, runner, output) { halt = $0 }
      try output.hear(event)
      guard !event.isWell else { continue }
      if let halt { isOver = try prompt(at: halt, output) == ExitStatus.interrupted }
      if running.failFast { isOver = true }
    }
    let end = try output.finish(isOver ? (running.failFast ? .failFast : .interrupted) : nil)
    var last = LastRun()
    if !output.ran.isEmpty { last.keep(ran: output.ran, failed: output.failed) }
    if end.summary.isEmpty && plan.notes.isEmpty {
      Terminal.writeError("moonlatch: no scenario is selected\(reason(filter))\n")
    }
    let status = ExitStatus.of(end)
    return status == .success && output.lacksCoverage ? ExitStatus.failed : status
  }

  private func play(
    _ unit: RunPlan.Unit, _ runner: Runner, _ output: RunOutput, halted: @escaping (Halt) -> Void
  ) -> RunEvent {
    do {
      let open = try runner.open(unit.item)
      guard let entry = unit.entry else { return unloadable(unit, "it cannot be loaded") }
      return runner.play(
        entry, of: open, cover: { try? output.take(.covered($0)) }, halted: halted)
    } catch {
      return unloadable(unit, "\(error)")
    }
  }

  private func unloadable(_ unit: RunPlan.Unit, _ message: String) -> RunEvent {
    .unloadable(file: unit.item.name, message: message)
  }

  /// Opens a prompt in the flow of a scenario, in the state in which the scenario ended.
  private func prompt(at halt: Halt, _ output: RunOutput) throws -> ExitCode {
    let environment = ProcessInfo.processInfo.environment
    let options = Session.Options(
      style: .suiting(1, environment: environment), width: max(20, LineEditor.width - 1),
      isInterruptible: true)
    do {
      let session = try Session(at: halt, options: options) { SessionOutput.write($0 + "\n") }
      Interruption.catchAll()
      defer { Interruption.stopsNothing() }
      output.write(
        "stopped in the state of \(halt.place) \(halt.scenario)".visibleLine
          + ": s, :why, :undo; Ctrl-D continues\n")
      return Repl(
        session: session, source: source(session, environment), isInteractive: true,
        keepGoing: true, pager: Pager(environment)
      ).run()
    } catch {
      output.write("the state of \(halt.place) cannot be shown: \(error)\n".visibleLine)
      return .success
    }
  }

  private func source(_ session: Session, _ environment: [String: String]) -> any InputSource {
    if Style.isDumb(environment) { return PlainInput(session: session, isInteractive: true) }
    let history = HistoryFile(
      flow: session.text.file, name: session.name, environment: environment)
    let edited: (any InputSource)? = EditedInput(session: session, history: history, watch: nil)
    return edited ?? PlainInput(session: session, isInteractive: true)
  }
}
