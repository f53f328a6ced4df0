import ArgumentParser
import FlowJournal
import Moonlatch
import Platform
import Scenarios

/// `moonlatch journal scenario`.
struct JournalScenario: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Writes the life of a case as a scenario, and plays it; exit 1 if it does not pass.",
    discussion: """
      It has what came from outside, the time between, and what each changed, as :save
      writes it at the prompt. What capabilities answered is not known: stub them where
      the scenario does not pass without.
      """)

  @Argument(help: "The journal.", completion: .file()) var file: String
  @Option(name: .customLong("case"), help: "The id of the case.") var id: String

  @Option(
    help:
      "The flow's file; without it the one in this folder that is called as the case's flow is.",
    completion: .file(extensions: ["lua"]))
  var flow: String?

  @Option(
    help: "The scenario's file; without it the scenario is printed, for a file in this folder.")
  var into: String?

  func validate() throws {
    if let into, !into.hasSuffix(ScenarioFile.suffix) {
      throw ValidationError("--into takes a name that ends in \(ScenarioFile.suffix), not \(into)")
    }
  }

  func run() throws {
    let problem = try journalErrors {
      let reading = try CaseReading(file)
      let summary = try reading.summary(of: id)
      try reading.expectWhole(summary)
      let kept = try reading.flow(summary.flow, of: id)
      guard let stored = try reading.reader.find(id) else { return nil as String? }
      let engine = try Engine.standing(id, as: stored, of: LoadedFlow(kept))
      var life = CaseLife()
      try reading.eachEntry(of: id) { life.add($0, try $0.contents()) }
      let writer = ScenarioWriter(
        engine: engine, steps: life.steps, title: "case \(id)", isPlayed: false)
      return try write(writer, flow ?? kept.name)
    }
    guard let problem else { return }
    Terminal.writeError("moonlatch: the scenario does not pass:\n\(problem)\n")
    throw ExitStatus.failed
  }

  /// Gives the report if it does not pass.
  private func write(_ writer: ScenarioWriter, _ flow: String) throws -> String? {
    do {
      let file = try into.map {
        try OutputFile($0, sparing: [self.file, flow], over: OwnFile.isScenario)
      }
      return try RecordedFile(flow: flow, file: file).write { try writer.text(flow: $0) }
    } catch let refused as OutputFile.Refused {
      throw notWritten(refused)
    }
  }
}

/// What came from outside in a case, as the steps that a scenario is made of.
struct CaseLife {
  private var played = PlayedSteps()
  private var time = 0
  private var revision = 0

  var steps: [PlayedSteps.Entry] { played.entries }

  mutating func add(_ entry: JournalEntry, _ contents: JournalEntry.Contents) {
    if contents.kind == .image {
      if entry.revision != revision { played.go(to: entry.revision, at: contents.time ?? time) }
      (revision, time) = (entry.revision, contents.time ?? time)
      return
    }
    var rest = contents.transitions[...]
    while let transition = rest.popFirst() {
      revision = transition.revision
      let isOutside = transition.cause == nil
      if isOutside, transition.microseconds > time { pass(to: transition.microseconds, []) }
      // What follows is the same step's, up to the next from outside.
      let end = rest.firstIndex { $0.cause == nil } ?? rest.endIndex
      let followed = Array(rest[..<end])
      rest = rest[end...]
      if isOutside {
        let start = time
        played.add(
          .init(
            .dispatch(
              action: transition.action, payload: transition.payload, outcome: .passed(transition),
              followed: followed), at: start))
        time = max(time, followed.last?.microseconds ?? time)
      } else {
        let all = [transition] + followed
        pass(to: max(time, all.last?.microseconds ?? time), all)
      }
      revision = followed.last?.revision ?? revision
    }
    if let now = contents.time, now > time { pass(to: now, []) }
  }

  private mutating func pass(to end: Int, _ followed: [Transition]) {
    played.add(.init(.advance(microseconds: end - time, followed: followed), at: time))
    time = end
  }
}
