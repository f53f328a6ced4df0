import ArgumentParser
import Moonlatch
import Scenarios

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `moonlatch report`: makes a report from the streams of runs that are over.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes a report from what \"moonlatch run --report jsonl=FILE\" wrote.",
    discussion: """
      The report goes to standard output. The streams of several shards become one report, once it
      is certain that they are all there and add up; where they do not, standard error says why and
      the exit code is 5.

      EXAMPLES:
        moonlatch report html run.jsonl > run.html
        moonlatch report junit shard-*.jsonl > report.xml
      """)

  @Argument(help: "text, jsonl, junit, tap, html or github.")
  var format: ReportFormat

  @Argument(help: "Streams in the JSON lines format.", completion: .file(extensions: ["jsonl"]))
  var files: [String]

  func run() throws {
    let merged = JoinedRuns(try files.map(read))
    var report = format.report
    for event in merged.events {
      Terminal.writeOutput(report.text(for: event))
    }
    guard merged.faults.isEmpty else {
      for fault in merged.faults { Terminal.writeError("moonlatch: \(fault)\n") }
      throw ExitStatus.shardsDisagree
    }
  }

  private func read(_ file: String) throws -> JoinedRuns.Part {
    do {
      let text = try TextFile.read(URL(filePath: file), name: file)
      return JoinedRuns.Part(name: file, events: try EventStream.events(of: text, name: file))
    } catch {
      Terminal.writeError("moonlatch: \(error)\n")
      throw ExitStatus.unloadable
    }
  }
}

extension ReportFormat: ExpressibleByArgument {}
