/// A runner that plays scenario files one after the other in this process and reports as it goes.
///
/// It has one file open at a time.
package struct Runner: Sendable {
  /// The settings with which scenarios are played.
  package let settings: PlaySettings
  /// The flows that the runner has played.
  package let flows = FlowCache()
  private let room = Snapshots.Reservation()

  /// Makes a runner.
  package init(settings: PlaySettings = PlaySettings()) { self.settings = settings }

  /// Runs the selected scenarios, until `isStopped` returns true.
  ///
  /// - Parameter halted: receives each flow in the state in which its scenario left it, before the scenario is
  ///   reported.
  package func run(
    _ selection: Selection, isStopped: () -> Bool = { false }, halted: ((Halt) -> Void)? = nil,
    report: (RunEvent) -> Void
  ) -> RunSummary {
    var summary = RunSummary()
    for note in selection.notes { report(.nothing(note)) }
    var lines = LinesOfPatterns()
    for item in selection.items {
      if isStopped() { break }
      run(item, isStopped: isStopped, halted: halted, &lines) { event in
        summary.count(event)
        report(event)
      }
    }
    for note in lines.notes { report(.nothing(note)) }
    return summary
  }

  /// Runs the scenarios that one item selects.
  package func run(
    _ item: Selection.Item, isStopped: () -> Bool = { false }, _ report: (RunEvent) -> Void
  ) {
    var lines = LinesOfPatterns()
    run(item, isStopped: isStopped, halted: nil, &lines, report)
  }

  private func run(
    _ item: Selection.Item, isStopped: () -> Bool, halted: ((Halt) -> Void)?,
    _ lines: inout LinesOfPatterns, _ report: (RunEvent) -> Void
  ) {
    do {
      let open = try open(item)
      for entry in open.file.select(item, &lines, report) where !isStopped() {
        let event = play(entry, of: open, halted: halted)
        report(event)
        // A problem of the flow is reported once, not for every scenario.
        if case .unloadable = event { return }
      }
    } catch {
      lines.cannotTell(item)
      report(.unloadable(file: item.name, message: error.description))
    }
  }

  /// Opens the file that an item names.
  package func open(_ item: Selection.Item) throws(OpenFile.Unloadable) -> OpenFile {
    try OpenFile(item, settings: settings, flows: flows, room: room)
  }

  /// Plays one scenario and returns the event to report.
  package func play(
    _ entry: ScenarioFile.Entry, of open: OpenFile, attempt: Int = 1,
    cover: (CoverageRecord) -> Void = { _ in }, halted: ((Halt) -> Void)? = nil
  ) -> RunEvent {
    let clock = ContinuousClock()
    let start = clock.now
    let end = open.play(entry, halted: halted)
    if let coverage = end.coverage { cover(coverage) }
    if case .unloadable(let message) = end.result {
      return .unloadable(file: open.file.name, message: message)
    }
    var record = ScenarioRecord(
      entry, of: open.file, end: end, tellsEveryStep: settings.tellsEveryStep)
    record.attempt = attempt
    record.microseconds = Int((clock.now - start) / .microseconds(1))
    return .ended(record)
  }
}
