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
      the scenario does not pass without. Secret values are dots. A case whose first
      entries were dropped begins with what the oldest snapshot has.
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
      let first = try reading.beginning(of: summary)
      let kept = try reading.flow(summary.flow, of: id)
      guard let stored = try reading.reader.find(id) else { return nil as String? }
      let engine = try Engine.standing(id, as: stored, of: LoadedFlow(kept))
      var life = CaseLife(after: first, try first.contents())
      try reading.eachEntry(of: id, from: first.seq + 1) { life.add($0, try $0.contents()) }
      var writer = ScenarioWriter(
        engine: engine, steps: life.steps, title: "case \(id)", isPlayed: false)
      writer.beginning = try CaseBeginning(first, fresh: freshState(of: kept))
      writer.hidden = engine.flow.secrets
      return try write(writer, flow ?? kept.name)
    }
    guard let problem else { return }
    Terminal.writeError("moonlatch: the scenario does not pass:\n\(problem)\n")
    throw ExitStatus.failed
  }

  /// The state with which a flow begins.
  private func freshState(of flow: JournaledFlow) throws -> Value {
    try Engine(LoadedFlow(flow), limits: Limits(), log: ScriptLog { _ in }).state()
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

/// What a case began with that a flow does not begin with by itself, as a scenario gives it.
struct CaseBeginning {
  /// The state of the flow as it begins.
  let fresh: Value
  /// The options that gatekeepers held; none for one that lets a single one pass.
  private(set) var held: [String: [String]] = [:]
  /// What a scenario cannot give.
  private(set) var notes: [String] = []

  init(_ entry: JournalEntry, fresh: Value) throws {
    self.fresh = fresh
    if entry.seq == 1 { return }
    let contents = try entry.contents()
    for passage in contents.passagesTaken {
      held[passage.gatekeeper, default: []] += passage.option.map { [$0] } ?? []
    }
    notes = [
      "The entries up to \(entry.seq) were dropped by a compaction: this begins with what was there then.",
      "Time begins anew, and timers of states in full.",
    ]
    let lost = contents.timersSet.map(\.action) + contents.effectsBegan.map(\.title)
    if !lost.isEmpty { notes.append("Not given: \(lost.joined(separator: ", ")).") }
  }
}

/// What came from outside in a case, as the steps that a scenario is made of.
struct CaseLife {
  private var played = PlayedSteps()
  private var time = 0
  private var revision = 0

  var steps: [PlayedSteps.Entry] { played.entries }

  /// Begins behind an entry that tells all there is.
  init(after entry: JournalEntry, _ contents: JournalEntry.Contents) {
    (revision, time) = (entry.revision, contents.time ?? 0)
  }

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
