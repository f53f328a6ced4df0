import ArgumentParser
import FlowKernel
import FlowLanguage
import Platform
import Scenarios
import SharedCommands

/// A format of reports and its destination: `junit=report.xml`, `github`.
struct ReportTarget: ExpressibleByArgument {
  let format: ReportFormat
  /// The file; nil for standard output.
  let path: String?

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let format = ReportFormat(rawValue: String(parts[0])) else { return nil }
    self.format = format
    path = parts.count > 1 && parts[1] != "-" ? String(parts[1]) : nil
    // Annotations are read from the output itself; other formats would be lost among its lines.
    guard path != "", parts.count > 1 || format == .github else { return nil }
  }

  static var allValueStrings: [String] {
    beginnings.map { $0.hasSuffix("=") ? $0 + "FILE" : $0 }
  }

  /// The beginnings that a shell completes: `junit=`, `github`.
  static var beginnings: [String] {
    ReportFormat.allCases.map { $0 == .github ? $0.rawValue : "\($0.rawValue)=" }
  }
}

/// A report that is being written.
final class ReportFile {
  struct NotWritten: SystemRefusal {
    let description: String
  }

  /// True if it goes to standard output and is more than annotations between other lines.
  let takesOutput: Bool
  /// The file; nil for standard output.
  private let file: OutputFile?
  private var report: any EventReport
  private var problem: NotWritten?

  /// Opens the file, so that one that cannot be written is reported before anything runs.
  ///
  /// The report is written in place, so that a run that is killed leaves its results. An earlier report is overwritten,
  /// whatever its format.
  init(_ target: ReportTarget, sparing others: [String] = []) throws(NotWritten) {
    report = target.format.report
    takesOutput = target.path == nil && target.format != .github
    do {
      file = try target.path.map { path throws(OutputFile.Refused) in
        try OutputFile(path, sparing: others, grows: true, over: OwnFile.isReport)
      }
    } catch {
      throw ReportFile.notWritten(error)
    }
  }

  /// Adds an event to the report.
  ///
  /// - Throws: `NotWritten`, at the last event, if a part could not be written.
  func hear(_ event: RunEvent) throws(NotWritten) {
    let text = report.text(for: event)
    do {
      if let file {
        try file.write(text)
      } else if !text.isEmpty, !Terminal.writeDocument(text), problem == nil {
        problem = ReportFile.notWritten("standard output", errno)
      }
    } catch {
      if problem == nil { problem = ReportFile.notWritten(error) }
    }
    if case .finished = event, let problem { throw problem }
  }

  private static func notWritten(_ refused: OutputFile.Refused) -> NotWritten {
    guard refused.code == 0 else { return notWritten(refused.path, refused.code) }
    return NotWritten(description: "the report \(refused)")
  }

  private static func notWritten(_ path: String, _ code: Int32) -> NotWritten {
    NotWritten(
      description: "the report \(path) could not be written: \(String(cString: strerror(code)))")
  }
}
