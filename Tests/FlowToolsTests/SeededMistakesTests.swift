import Foundation
import Scenarios
import Testing

@testable import FlowTools

/// Flows and scenarios in which every mistake is marked with the expected finding.
///
/// `--> unknown-field` at the end of a line of a file in `Seeded` names the finding; nothing else
/// may be reported.
@Suite struct SeededMistakesTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Seeded")
  static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".lua") }.sorted()

  /// The marks of a file, as `line name`.
  private static func marks(of file: String) throws -> [String] {
    let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    return text.components(separatedBy: "\n").enumerated().flatMap { number, line -> [String] in
      let parts = line.components(separatedBy: "--> ")
      guard parts.count == 2 else { return [] }
      return parts[1].components(separatedBy: ", ").map { "\(number + 1) \($0)" }
    }
  }

  @Test("exactly the seeded mistakes are reported, each at its line", arguments: files)
  func seeded(file: String) throws {
    let wanted = try SeededMistakesTests.marks(of: file)
    let checker = Checker(
      [SeededMistakesTests.folder.appending(path: file).path], readFlow: ScenarioFile.readFlow)
    let found = Set(
      checker.findings.filter { $0.fault.file.hasSuffix("/" + file) && $0.kind != .unreadView }
        .map { "\($0.fault.line) \($0.kind.rawValue)" })
    #expect(found.subtracting(wanted).sorted() == [])
    #expect(Set(wanted).subtracting(found).sorted() == [])
  }

  @Test("there are more than 150 seeded mistakes, of at least 25 kinds")
  func count() throws {
    let all = try SeededMistakesTests.files.flatMap(SeededMistakesTests.marks)
    #expect(all.count > 150)
    #expect(Set(all.map { $0.split(separator: " ")[1] }).count >= 25)
  }
}
