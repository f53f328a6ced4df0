import ArgumentParser
import FlowCases
import FlowHosting
import FlowKernel
import FlowLanguage
import JournalRows
import Platform

/// The command `moonlatch journal replay`.
struct JournalReplay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract:
      "Replays the cases on another version of the flow; exit 1 if a case differs.",
    discussion: """
      Inputs from outside are dispatched at their times, and the results are compared:
      the first commit whose action or patch differs is reported. No capability is
      called; an action that followed on an answer is dispatched when its turn comes.
      A case whose first entries were dropped is replayed from the oldest snapshot.
      The recorded answers of running durable effects are replayed, too: the first
      call that is not the recorded one is a difference. The journal is only read.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  @Option(help: "The other version of the flow.", completion: .file(extensions: ["lua", "scxml"]))
  var flow: String
  @Option(name: .customLong("case"), help: "The id of the case. Default: all of them.")
  var id: String?

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let differing = try journalErrors {
      let reading = try CaseReading(journal)
      let loaded = try LoadedFlow(
        FlowSources(file: URL(filePath: flow), displayName: flow), limits: limiting.limits,
        log: ScriptLog { _ in })
      var (cases, differing) = (0, 0)
      func replay(_ summary: CaseSummary) throws {
        cases += 1
        let difference = try self.replay(summary, loaded, reading)
        let deviations = try difference == nil ? deviations(of: summary, loaded, reading) : []
        if difference != nil || !deviations.isEmpty { differing += 1 }
        if let difference { printLine("\(summary.id), entry \(difference.entry): \(difference)") }
        for deviation in deviations {
          printLine("\(summary.id), entry \(summary.seq): \(deviation)")
        }
      }
      if let id {
        try replay(reading.summary(of: id))
      } else {
        try reading.eachCase { summary in
          do {
            try replay(summary)
          } catch let error as JournalError where error.kind == .unreadable {
            cases -= 1
            printLine("\(summary.id): not replayed: \(error)")
          }
        }
      }
      printLine("\(Count.of(cases, "case")) replayed, \(differing) differ")
      return differing
    }
    if differing > 0 { throw ExitStatus.failed }
  }

  private func replay(
    _ summary: CaseSummary, _ flow: LoadedFlow, _ reading: CaseReading
  ) throws -> CaseReplay.Difference? {
    let first = try reading.beginning(of: summary)
    guard let stored = try reading.rows.activate(summary.id) else { return nil }
    let replay = try CaseReplay(
      flow, birth: stored.birth, first, of: LoadedFlow(reading.flow(first.flow, of: summary.id)))
    var difference: CaseReplay.Difference?
    try reading.eachEntry(of: summary.id, from: first.seq + 1) { entry in
      if difference == nil { difference = try replay.play(entry) }
    }
    return difference ?? replay.end()
  }

  /// Returns the deviations of the flow's text from the records of running durable effects.
  private func deviations(
    of summary: CaseSummary, _ flow: LoadedFlow, _ reading: CaseReading
  ) throws -> [String] {
    if summary.ended != nil { return [] }
    var options = HostOptions(print: { _ in }, report: { _ in })
    options.adoptsJournal = true
    do {
      return try EngineCase.deviations(
        of: summary.id, under: flow, in: reading.rows, options: options)
    } catch let error as JournalError where error.kind != .otherVersion {
      throw error
    } catch {
      return ["effects are running, and the case does not fit: \(JournalMigrate.text(of: error))"]
    }
  }

  private func printLine(_ line: String) { Terminal.writeOutput(line.visibleLine + "\n") }
}
