import ArgumentParser
import EventLogs
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios
import SharedCommands

/// The command `moonlatch replay`, which dispatches a recorded event log to a flow.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays a recorded event log (CSV, JSON lines, XES), case by case, on a flow.",
    discussion: """
      Each case is played by a new instance of the flow, whose clock follows the log.
      Effects and timers are off. Columns with the name of a payload field are read by
      the declared type; an empty cell is a missing field. The format is detected from
      the first bytes: JSON lines begin with a brace, XES is XML, anything else is CSV
      with a header. Files may be gzipped, and UTF-16 with a byte order mark. Rows
      that are not an event are reported, once for each reason with the line, and
      skipped. Cells are separated by commas, semicolons, tabs or bars: by the one
      that is most frequent in the header, or by that of a first line sep=;.
      """)

  @Argument(help: "The flow's file.", completion: .file(extensions: ["lua", "scxml"]))
  var flow: String

  @Argument(help: "The log's file, or - for standard input.", completion: .file())
  var log: String

  @Option(name: .customLong("case"), help: "The column that names the case.")
  var caseColumn = "case:concept:name"

  @Option(name: .customLong("action"), help: "The column that names the action.")
  var actionColumn = "concept:name"

  @Option(
    name: .customLong("time"),
    help: "The column with the time; an empty name if the log has no times.")
  var timeColumn = "time:timestamp"

  @Option(
    help: ArgumentHelp(
      "The format of times. Default: detected from the first one, or, if day and month can be "
        + "confused, from the whole column.",
      discussion: "One of \(LogTime.Format.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(LogTime.Format.allCases.map(\.rawValue)))
  var timeFormat: String?

  @Option(
    help: "A Lua file that returns a function: from a row to an action's name and payload.",
    completion: .file(extensions: ["lua"]))
  var map: String?

  @Flag(help: "The rows of a case are scattered: every case stays open until the log ends.")
  var interleaved = false

  @Flag(help: "Exit with code 1 for a rejected event; stop at a malformed row with code 2.")
  var strict = false

  @Flag(help: "Play every case in full. Default: beginnings that cases share are played once.")
  var fresh = false

  @Option(help: "Write the rejected events to a CSV file.", completion: .file())
  var deviations: String?

  @Option(help: "Write the whole replay as JSON lines: jsonl=FILE.")
  var report: String?

  @Option(
    help: "Write a case as a scenario in place of the report, and run it; exit 1 if it fails.")
  var scenario: String?

  @Option(
    help: "The scenario's file. Default: print the scenario, for a file in this folder.",
    completion: .file(extensions: ["lua"]))
  var into: String?

  @OptionGroup var limiting: LimitOptions

  func validate() throws {
    if let timeFormat, LogTime.Format(rawValue: timeFormat) == nil {
      let known = LogTime.Format.allCases.map(\.rawValue)
      throw ValidationError(
        "--time-format must be one of \(known.joined(separator: ", ")), not \(timeFormat)")
    }
    if let report, !report.hasPrefix("jsonl=") || report == "jsonl=" {
      throw ValidationError("--report must be jsonl=FILE, not \(report)")
    }
    guard let into else { return }
    if scenario == nil { throw ValidationError("--into is only for --scenario CASE") }
    if !into.hasSuffix(FlowFile.scenarioSuffix) {
      throw ValidationError(
        "--into needs a name that ends in \(FlowFile.scenarioSuffix), not \(into)")
    }
  }

  func run() throws {
    do {
      let summary = try replay()
      let status = status(of: summary)
      if status != .success { throw status }
    } catch let error as ScriptError {
      try end(error.report)
    } catch  where error is LogError || error is FlowError || error is OutputFile.Refused {
      try end("\(error)")
    }
  }

  private func end(_ message: String) throws {
    Terminal.writeError("moonlatch: \(message)\n")
    throw ExitStatus.unloadable
  }

  private func replay() throws -> ReplaySummary {
    let loaded = try LoadedFlow(URL(filePath: flow), limits: limiting.limits)
    let input = try InputFile(log)
    let inputs = [flow, log] + [map].compactMap(\.self)
    let deviationsFile = try deviations.map {
      try OutputFile($0, sparing: inputs, over: OwnFile.isDeviations)
    }
    let stream = try report.map {
      try OutputFile(
        String($0.dropFirst("jsonl=".count)), sparing: inputs, over: OwnFile.isReplay)
    }
    // The file is opened first, so that one that cannot be written is reported before anything is played.
    let scenarioFile = try into.map {
      try OutputFile($0, sparing: inputs, over: OwnFile.isScenario)
    }
    var recorded = RecordedScenario(case: scenario ?? "", of: loaded)
    try deviationsFile?.write(DeviationsCSV.header)
    try stream?.write(ReplayStream.begin(flow: flow))
    var malformed = RowGroups()
    var played: ReplaySummary?
    defer { report(malformed, of: played) }
    let replay = try Replay(loaded, options: options(), log: EventLog.open(input.read(into:))) {
      Terminal.writeError($0 + "\n")
    } observe: { event in
      if let stream { try stream.write(ReplayStream.line(for: event)) }
      switch event {
      case .malformed(let line, let reason):
        malformed.add(reason, line: line)
      case .skipped: break
      case .played(let played):
        if let deviation = played.deviation {
          try deviationsFile?.write(DeviationsCSV.row(deviation))
        }
        if played.name == scenario { recorded.add(played) }
      }
    }
    let summary = try replay.run()
    played = summary
    try stream?.write(ReplayStream.end(summary))
    try stream?.close()
    try deviationsFile?.close()
    if let scenario {
      guard !recorded.isEmpty else {
        Terminal.writeError(
          "moonlatch: the log has no case \(Value.quoted(scenario, limit: 60))\n")
        throw ExitStatus.nothingSelected
      }
      if let problem = try RecordedFile(
        flow: flow, file: scenarioFile, limits: limiting.limits
      ).write(recorded) {
        Terminal.writeError("moonlatch: the scenario does not pass:\n\(problem)\n")
        throw ExitStatus.failed
      }
    } else {
      Terminal.writeOutput(ReplayText(summary).text)
    }
    return summary
  }

  /// Reports the rows that are not events; one sentence is enough if there is only one reason.
  private func report(_ malformed: RowGroups, of summary: ReplaySummary?) {
    guard let summary, !strict, !summary.hasEvents else { return malformed.report(of: log) }
    let none = "moonlatch: no row of \(log) could be read as an event"
    let groups = malformed.groups
    if summary.rows == 0 {
      Terminal.writeError("moonlatch: \(log) has no rows\n")
    } else if groups.count == 1, summary.skipped == 0, let only = groups.first {
      Terminal.writeError("\(none): line \(only.firstLine): \(only.text)".visibleLine + "\n")
    } else {
      malformed.report(of: log)
      Terminal.writeError(
        "\(none): \(summary.malformed) malformed, \(summary.skipped) skipped by the map\n")
    }
  }

  private func options() throws -> Replay.Options {
    var options = Replay.Options()
    options.limits = limiting.limits
    options.caseColumn = caseColumn
    options.actionColumn = actionColumn
    options.timeColumn = timeColumn
    options.timeFormat = timeFormat.flatMap(LogTime.Format.init)
    options.isInterleaved = interleaved
    options.isStrict = strict
    options.isFresh = fresh
    options.map = try map.map { try LogMap(URL(filePath: $0)) { Terminal.writeError($0 + "\n") } }
    options.tellsPassed = report != nil || scenario != nil
    return options
  }

  private func status(of summary: ReplaySummary) -> ExitCode {
    if strict, summary.malformed > 0 { return ExitStatus.unloadable }
    if !summary.hasEvents { return ExitStatus.nothingSelected }
    guard strict else { return .success }
    return summary.refused + summary.failed > 0 ? ExitStatus.failed : .success
  }
}
