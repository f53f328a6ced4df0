import ArgumentParser
import JournalRows
import Moonlatch
import Platform
import Synchronization

/// `moonlatch journal replay`.
struct JournalReplay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract:
      "Offers what happened to the cases to another text of the flow; exit 1 where it differs.",
    discussion: """
      What came from outside is offered at its time, and what followed is compared:
      the first transition whose action or patch differs is told. Nothing that the
      flow calls answers; what followed on an answer is offered when its turn comes.
      A case whose first entries were dropped goes on from the oldest snapshot.
      The journal is only read.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal

  @Option(help: "The flow's other text.", completion: .file(extensions: ["lua", "scxml"])) var flow:
    String
  @Option(name: .customLong("case"), help: "The id of the case; without it all of them.")
  var id: String?

  func run() throws {
    let differing = try journalErrors {
      let reading = try CaseReading(journal)
      let loaded = try LoadedFlow(
        FlowSources(file: URL(filePath: flow), displayName: flow), limits: Limits(),
        log: ScriptLog { _ in })
      var (cases, differing) = (0, 0)
      func replay(_ summary: CaseSummary) throws {
        cases += 1
        guard let difference = try self.replay(summary, loaded, reading) else { return }
        differing += 1
        tell("\(summary.id), entry \(difference.entry): \(difference)")
      }
      if let id {
        try replay(reading.summary(of: id))
      } else {
        try reading.eachCase { summary in
          do {
            try replay(summary)
          } catch let error as JournalError where error.kind == .unreadable {
            cases -= 1
            tell("\(summary.id): not replayed: \(error)")
          }
        }
      }
      tell("\(Count.of(cases, "case")) replayed, \(differing) differ")
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

  private func tell(_ line: String) { Terminal.writeOutput(line.visibleLine + "\n") }
}

extension CaseReplay.Difference: CustomStringConvertible {}

/// `moonlatch journal migrate --check`.
struct JournalMigrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Tries whether a flow can take the cases over; exit 1 with those that do not fit.",
    discussion: """
      Each case is taken over in memory, as a host would do it when the case comes
      back, and what is dropped by that is told. The journal is only read.
      """)

  @Flag(help: "Try it, and write nothing: cases are taken over by the host that goes on with them.")
  var check = false
  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Argument(help: "The flow's file.", completion: .file(extensions: ["lua", "scxml"])) var flow:
    String
  @Option(
    name: .customLong("case"), help: "The id of the case; without it all that have not ended.")
  var id: String?

  func validate() throws {
    if !check {
      throw ValidationError(
        "migrate takes --check: cases are taken over by the host that goes on with them.")
    }
  }

  func run() throws {
    let unfit = try journalErrors {
      let reading = try CaseReading(journal)
      let loaded = try LoadedFlow(URL(filePath: flow))
      var (cases, unfit) = (0, 0)
      func attempt(_ summary: CaseSummary) {
        cases += 1
        let dropped = Lines()
        do {
          try JournalMigrate.take(summary.id, by: loaded, reading.rows, dropped)
          for line in dropped.all { tell("\(summary.id): \(line)") }
        } catch {
          unfit += 1
          tell("\(summary.id) does not fit: \(JournalMigrate.text(of: error))")
        }
      }
      if let id {
        attempt(try reading.summary(of: id))
      } else {
        try reading.eachCase { if $0.ended == nil { attempt($0) } }
      }
      tell("\(Count.of(cases, "case")): \(cases - unfit) fit, \(unfit) not")
      return unfit
    }
    if unfit > 0 { throw ExitStatus.failed }
  }

  private static func take(
    _ id: String, by flow: LoadedFlow, _ journal: ReadOnlyJournal, _ dropped: Lines
  ) throws {
    let options = HostOptions(print: { _ in }, report: { dropped.add($0) })
    _ = try EngineCase.open(id, of: flow, in: journal, options: options)
  }

  private static func text(of error: any Error) -> String {
    switch error {
    case let error as ScriptError: error.summary
    case let error as DispatchFailure: error.summary
    default: "\(error)"
    }
  }

  private func tell(_ line: String) { Terminal.writeOutput(line.visibleLine + "\n") }
}

/// Lines that are told from anywhere.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
