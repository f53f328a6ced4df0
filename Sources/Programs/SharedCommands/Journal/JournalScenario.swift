import ArgumentParser
import FlowHosting
import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Platform
import Scenarios

/// The command `moonlatch journal scenario`.
struct JournalScenario: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Writes the history of a case as a scenario, and runs it; exit 1 if it fails.",
    discussion: """
      It has the inputs from outside, the time between them, and the changes of each,
      like a scenario of :save at the prompt. Answers of capabilities are not known:
      add stubs if the scenario fails without them. Secret values are masked. If the
      first entries were dropped, the scenario begins with the oldest snapshot.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Option(name: .customLong("case"), help: "The id of the case.") var id: String

  @Option(
    help:
      "The flow's file. Default: the one in this folder with the name of the case's flow.",
    completion: .file(extensions: ["lua", "scxml"]))
  var flow: String?

  @Option(
    help: "The scenario's file. Default: print the scenario, for a file in this folder.")
  var into: String?
  @OptionGroup var limiting: LimitOptions

  func validate() throws {
    if let into, !into.hasSuffix(FlowFile.scenarioSuffix) {
      throw ValidationError(
        "--into needs a name that ends in \(FlowFile.scenarioSuffix), not \(into)")
    }
  }

  func run() throws {
    let problem = try journalErrors {
      let reading = try CaseReading(journal)
      let summary = try reading.summary(of: id)
      let first = try reading.beginning(of: summary)
      let kept = try reading.flow(summary.flow, of: id)
      guard let stored = try reading.rows.activate(id) else { return nil as String? }
      let engine = try Engine.standing(
        id, as: stored, of: LoadedFlow(kept, limits: limiting.limits))
      var life = CaseLife(after: first, try first.contents())
      try reading.eachEntry(of: id, from: first.seq + 1) { life.add($0, try $0.contents()) }
      var writer = ScenarioWriter(engine, life.steps)
      (writer.title, writer.isPlayed) = ("case \(id)", false)
      writer.beginning = try CaseBeginning(
        first, born: summary.born, fresh: freshState(of: kept, born: summary.born))
      writer.hidden = engine.flow.secrets
      return try write(writer, flow ?? kept.name)
    }
    guard let problem else { return }
    Terminal.writeError("moonlatch: the scenario does not pass:\n\(problem)\n")
    throw ExitStatus.failed
  }

  /// Returns the initial state of a flow.
  private func freshState(of flow: JournaledFlow, born: Int) throws -> Value {
    try Engine(
      LoadedFlow(flow, limits: limiting.limits), limits: limiting.limits, log: ScriptLog { _ in },
      birth: born
    ).state()
  }

  /// Writes the scenario and returns the report if it does not pass.
  private func write(_ writer: ScenarioWriter, _ flow: String) throws -> String? {
    do {
      let file = try into.map {
        try OutputFile($0, sparing: [flow] + journal.files, over: OwnFile.isScenario)
      }
      return try RecordedFile(flow: flow, file: file, limits: limiting.limits).write {
        try writer.text(flow: $0)
      }
    } catch let refused as OutputFile.Refused {
      throw notWritten(refused)
    }
  }
}
