import ArgumentParser
import FlowHosting
import FlowKernel
import JournalRows
import LuaRuntime
import Platform

/// The command `moonlatch journal migrate --check`.
struct JournalMigrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Checks that a flow can resume the cases; exit 1 with those that do not fit.",
    discussion: """
      Each case is migrated in memory, as a host does it when it loads the case, and
      data that is dropped is reported. The recorded answers of running durable
      effects are replayed: the effects must make the same calls. The journal is only
      read.
      """)

  @Flag(help: "Check only: cases are migrated by the host that resumes them.")
  var check = false
  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Argument(help: "The flow's file.", completion: .file(extensions: ["lua", "scxml"])) var flow:
    String
  @Option(
    name: .customLong("case"), help: "The id of the case. Default: all that have not ended.")
  var id: String?
  @OptionGroup var limiting: LimitOptions

  func validate() throws {
    if !check {
      throw ValidationError(
        "migrate needs --check: cases are migrated by the host that resumes them.")
    }
  }

  func run() throws {
    let unfit = try journalErrors {
      let reading = try CaseReading(journal)
      let loaded = try LoadedFlow(URL(filePath: flow), limits: limiting.limits)
      var (cases, unfit) = (0, 0)
      func attempt(_ summary: CaseSummary) {
        cases += 1
        let dropped = Lines()
        do {
          let deviations = try JournalMigrate.deviations(
            of: summary.id, by: loaded, reading.rows, dropped)
          for line in dropped.all { report("\(summary.id): \(line)") }
          for deviation in deviations { report("\(summary.id) does not fit: \(deviation)") }
          if !deviations.isEmpty { unfit += 1 }
        } catch {
          unfit += 1
          report("\(summary.id) does not fit: \(JournalMigrate.text(of: error))")
        }
      }
      if let id {
        attempt(try reading.summary(of: id))
      } else {
        try reading.eachCase { if $0.ended == nil { attempt($0) } }
      }
      report("\(Count.of(cases, "case")): \(cases - unfit) fit, \(unfit) not")
      return unfit
    }
    if unfit > 0 { throw ExitStatus.failed }
  }

  /// Returns the deviations of running durable effects from their records.
  private static func deviations(
    of id: String, by flow: LoadedFlow, _ journal: ReadOnlyJournal, _ dropped: Lines
  ) throws -> [String] {
    var options = HostOptions(
      limits: flow.limits, print: { _ in }, report: { dropped.add("\($0)") })
    options.adoptsJournal = true
    let (_, engine) = try EngineCase.open(id, of: flow, in: journal, options: options)
    engine.report = { _ in }
    return engine.deviations()
  }

  static func text(of error: any Error) -> String {
    switch error {
    case let error as ScriptError: error.summary
    case let error as DispatchFailure: error.summary
    default: "\(error)"
    }
  }

  private func report(_ line: String) { Terminal.writeOutput(line.visibleLine + "\n") }
}

/// A list of lines that any thread can add to.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
