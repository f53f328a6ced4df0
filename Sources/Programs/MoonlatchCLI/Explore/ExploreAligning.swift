import ArgumentParser
import EventLogs
import FlowExplore
import FlowKernel
import LuaRuntime
import Platform
import Scenarios
import SharedCommands

/// The options for a recorded log that is aligned with the exploration.
struct ExploreAligningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Align a recorded log (CSV, JSON lines, XES; - is standard input): report which events are "
        + "too many, and which are missing.",
      valueName: "log"),
    completion: .file())
  var align: String?

  @Option(
    name: .customLong("case"),
    help: ArgumentHelp(
      "The log's column that names the case. Default: case:concept:name.", valueName: "column"))
  var caseColumn: String?

  @Option(
    name: .customLong("action"),
    help: ArgumentHelp(
      "The log's column that names the action. Default: concept:name.", valueName: "column"))
  var actionColumn: String?

  @Option(
    help: ArgumentHelp(
      "A Lua file that returns a function: from a row to an action's name and payload.",
      valueName: "file"),
    completion: .file(extensions: ["lua", "scxml"]))
  var map: String?

  @Option(
    help: ArgumentHelp(
      "At most this many steps for a case. Default: \(LogAlignment.usualSteps).",
      valueName: "number"))
  var alignSteps: Int?

  mutating func validate() throws {
    if let alignSteps, alignSteps < 1 {
      throw ValidationError("--align-steps must be a number of at least 1.")
    }
    guard align == nil else { return }
    for (option, isThere) in [
      ("--case", caseColumn != nil), ("--action", actionColumn != nil), ("--map", map != nil),
      ("--align-steps", alignSteps != nil),
    ] where isThere {
      throw ValidationError("\(option) is only for --align.")
    }
  }

  /// The input files, which must not be overwritten.
  var inputs: [String] { [align, map].compactMap(\.self) }
}

/// A recorded log that is aligned with the explorations of one flow.
struct ExploreAligning {
  private let options: ExploreAligningOptions
  private let log: String
  private let recorded: RecordedVariants

  /// Reads the log and reports rows that are not events; returns nil if no log is to be aligned.
  ///
  /// - Throws: `LogError` if it is not a log of the flow.
  init?(_ options: ExploreAligningOptions, of flow: LoadedFlow?, named name: String) throws {
    guard let log = options.align, let flow else { return nil }
    (self.options, self.log) = (options, log)
    var reading = Replay.Options()
    reading.caseColumn = options.caseColumn ?? reading.caseColumn
    reading.actionColumn = options.actionColumn ?? reading.actionColumn
    // The times of events say nothing about their order.
    reading.timeColumn = ""
    reading.map = try options.map.map {
      try LogMap(URL(filePath: $0)) { Terminal.writeError($0 + "\n") }
    }
    let input = try InputFile(log)
    var malformed = RowGroups()
    recorded = try RecordedVariants(
      RecordedEvents(flow.flow, options: reading, log: EventLog.open(input.read(into:)))
    ) { line, reason in
      malformed.add(reason, line: line)
    }
    malformed.report(of: log)
    if recorded.events.isEmpty { throw LogError(description: "\(log) has no events to align") }
    guard !recorded.events.contains(where: { flow.flow.action(named: $0.action) != nil }) else {
      return
    }
    let names = Set(recorded.events.map(\.action)).sorted().map { Value.quoted($0, limit: 60) }
    throw LogError(
      description:
        "no event of \(log) is named as an action of \(name); --action names the column, "
        + "and --map a file that says what rows are (its events: "
        + names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", ..." : "") + ")")
  }

  /// Aligns the log with an exploration, prints the result, and returns the exit code.
  func align(
    _ exploration: Exploration, flow: String, _ stream: ExploreStream?
  ) throws -> ExitCode {
    let alignment = try exploration.align(
      recorded, named: log, steps: options.alignSteps ?? LogAlignment.usualSteps)
    Terminal.writeOutput(alignment.text)
    try stream?.write(alignment.event(flow: flow, exploration: exploration.name))
    if alignment.isStopped { return ExitStatus.interrupted }
    if alignment.deviates { return ExitStatus.failed }
    return alignment.isWhole ? .success : ExitStatus.bounded
  }
}
