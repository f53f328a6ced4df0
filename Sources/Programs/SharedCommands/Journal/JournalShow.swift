import ArgumentParser
import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// The command `moonlatch journal show`.
struct JournalShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Lists the cases of a journal, or shows the history of one.",
    discussion: """
      Without --case all cases are listed; if there is only one, its history is shown.
      Rejected actions are included if the host stores them. Times are UTC; "now" is
      the time of the case, since its creation. With --json there is one object per
      line.
      """)

  @Argument(help: JournalCommand.argument, completion: .file(), transform: NamedJournal.init)
  var journal: NamedJournal
  @Option(name: .customLong("case"), help: "The id of the case.") var id: String?

  @Option(help: ArgumentHelp("The first entry to show.", valueName: "number")) var from = 1
  @Flag(help: "Print JSON, one object per line.") var json = false
  @Flag(name: .shortAndLong, help: "Show each write of a commit, and not only the net changes.")
  var verbose = false

  func validate() throws {
    if from < 1 { throw ValidationError("--from must be the number of an entry, at least 1.") }
  }

  func run() throws {
    try journalErrors {
      let reading = try CaseReading(journal)
      if let id { return try show(reading.summary(of: id), reading) }
      if let only = try reading.onlyCase() { return try show(only, reading) }
      try list(reading)
    }
  }

  // MARK: Cases

  private func list(_ reading: CaseReading) throws {
    var isEmpty = true
    try reading.eachCase { summary in
      isEmpty = false
      let flow = try reading.flow(summary.flow, of: summary.id)
      write(json ? CaseText.json(summary, flow) : CaseText.line(summary, flow))
    }
    if isEmpty { Terminal.writeError("moonlatch: \(reading.name) has no cases\n".visible) }
  }

  // MARK: Entries

  private func show(_ summary: CaseSummary, _ reading: CaseReading) throws {
    var text = EntryText(case: summary.id)
    text.tellsWrites = verbose
    if !json {
      write(CaseText.line(summary, try reading.flow(summary.flow, of: summary.id)))
    }
    var (flow, isFirst): (Int?, Bool) = (nil, true)
    try reading.eachEntry(of: summary.id, from: from) { entry in
      if flow != entry.flow {
        flow = entry.flow
        let kept = try reading.flow(entry.flow, of: summary.id)
        (text.flow, text.secrets) = (kept, try kept.secrets)
        if !json { write("flow \(text.flow?.name ?? ""), version \(text.flow?.version ?? 1)") }
      }
      if isFirst, entry.seq > from, !json {
        write("(the entries before \(entry.seq) were dropped by a compaction)")
      }
      isFirst = false
      let contents = try entry.contents()
      if json {
        write(JSONText.visible(text.json(entry, contents)))
      } else {
        for line in text.lines(entry, contents) { write(line) }
      }
    }
  }

  private func write(_ line: String) { Terminal.writeOutput(line.visibleLine + "\n") }
}

extension JournaledFlow {
  /// The secrets that the texts of the flow declare.
  fileprivate var secrets: Secrets? {
    get throws {
      guard texts.contains(where: { $0.text.contains("secret") }) else { return nil }
      return try LoadedFlow(self).flow.secrets
    }
  }
}

/// The text of a case in a list.
enum CaseText {
  static func line(_ summary: CaseSummary, _ flow: JournaledFlow) -> String {
    var parts = ["\(summary.id)  #\(summary.revision)", Count.of(summary.seq, "entry", "entries")]
    for (machine, states) in summary.activeStates.sorted(by: { $0.key < $1.key })
    where !states.isEmpty {
      parts.append("\(machine): \(states.joined(separator: ", "))")
    }
    if let ended = summary.ended {
      parts.append("ended \(WallTime.text(ended))")
    } else {
      parts.append("last written \(WallTime.text(summary.wall))")
      if let due = summary.due { parts.append("next due \(WallTime.text(due))") }
    }
    return parts.joined(separator: "; ") + "  [\(flow.name)]"
  }

  static func json(_ summary: CaseSummary, _ flow: JournaledFlow) -> String {
    var fields: [String: Value] = [
      "case": .string(summary.id), "entries": .integer(summary.seq),
      "revision": .integer(summary.revision), "flow": .string(flow.name),
      "version": .integer(flow.version), "born": .string(WallTime.exact(summary.born)),
      "written": .string(WallTime.exact(summary.wall)),
      "machines": .record(
        summary.machines.mapValues { .list($0.map { .string($0) }) }),
    ]
    if let due = summary.due { fields["due"] = .string(WallTime.exact(due)) }
    if let ended = summary.ended { fields["ended"] = .string(WallTime.exact(ended)) }
    return JSONText.visible(.record(fields))
  }
}
