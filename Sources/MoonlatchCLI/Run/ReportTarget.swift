import ArgumentParser
import Moonlatch
import Scenarios

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A report and where it goes: `junit=report.xml`, `github`.
struct ReportTarget: ExpressibleByArgument {
  let format: ReportFormat
  /// Nil for standard output.
  let path: String?

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let format = ReportFormat(rawValue: String(parts[0])) else { return nil }
    self.format = format
    path = parts.count > 1 && parts[1] != "-" ? String(parts[1]) : nil
    // Annotations are read from the output itself; the others would be lost among its lines.
    guard path != "", parts.count > 1 || format == .github else { return nil }
  }

  static var allValueStrings: [String] {
    ReportFormat.allCases.map { $0 == .github ? $0.rawValue : "\($0.rawValue)=FILE" }
  }
}

/// A report that is being written.
final class ReportFile {
  struct NotWritten: Error, CustomStringConvertible {
    let description: String
  }

  /// Whether it goes to standard output and is more than notes between other lines.
  let takesOutput: Bool
  private let path: String?
  private let descriptor: Int32
  private var report: any EventReport
  private var problem: NotWritten?

  /// Opens the file, so that one that cannot be written is known before anything runs.
  init(_ target: ReportTarget) throws(NotWritten) {
    report = target.format.report
    path = target.path
    takesOutput = target.path == nil && target.format != .github
    guard let path = target.path else {
      descriptor = STDOUT_FILENO
      return
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ReportFile.notWritten(path) }
  }

  deinit { if path != nil { close(descriptor) } }

  /// Adds what the event says.
  ///
  /// - Throws: at the last event, where any of it could not be written.
  func hear(_ event: RunEvent) throws(NotWritten) {
    let text = report.text(for: event)
    if !text.isEmpty, !Terminal.write(text, to: descriptor), problem == nil {
      problem = ReportFile.notWritten(path ?? "standard output")
    }
    if case .finished = event, let problem { throw problem }
  }

  private static func notWritten(_ path: String) -> NotWritten {
    NotWritten(
      description: "the report \(path) could not be written: \(String(cString: strerror(errno)))")
  }
}
