import ArgumentParser
import FlowKernel
import FlowLanguage
import Scenarios
import SharedCommands

/// The command `moonlatch report`, which makes a report from the streams of finished runs.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes a report from the output of \"moonlatch run --report jsonl=FILE\".",
    discussion: """
      The report goes to standard output. Several shards become one report if all
      shards are there and fit together. Otherwise standard error says why not, and
      the exit code is 5.

      EXAMPLES:
        moonlatch report html run.jsonl > run.html
        moonlatch report junit shard-*.jsonl > report.xml
      """)

  @Argument(help: "The format: text, jsonl, junit, tap, html or github.")
  var format: ReportFormat

  @Argument(help: "Streams in the JSON lines format.", completion: .file(extensions: ["jsonl"]))
  var files: [String]

  func run() throws {
    let merged = JoinedRuns(
      try files.map { JoinedRuns.Part(name: $0, events: try StreamFile.read($0)) })
    var report = format.report
    for event in merged.events {
      Terminal.writeDocument(report.text(for: event))
    }
    guard merged.faults.isEmpty else {
      for fault in merged.faults { Terminal.writeError("moonlatch: \(fault)\n") }
      throw ExitStatus.shardsDisagree
    }
  }
}
