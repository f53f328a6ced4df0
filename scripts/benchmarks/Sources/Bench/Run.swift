import Foundation

/// Runs a benchmark and ends the program: with 70 when it could not be measured.
public func run(_ body: (inout BenchmarkReport) throws -> Void) -> Never {
  var report = BenchmarkReport()
  do {
    try body(&report)
  } catch {
    FileHandle.standardError.write(Data("scripts/bench: \(error)\n".utf8))
    exit(70)
  }
  report.finish()
}

/// The measured code did not do its work.
public struct WrongResult: Error, CustomStringConvertible {
  /// A sentence.
  public let description: String
  /// Makes the error.
  public init(_ description: String) { self.description = description }

  /// Throws unless it holds.
  public static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
    if !holds { throw WrongResult(description()) }
  }
}
