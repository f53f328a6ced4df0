import Foundation
import Testing

@testable import FuzzTargets

private let tests = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent()

@Suite struct CorpusTests {
  @Test(
    "every input of the corpus, including all earlier failures, runs without a fault",
    arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let folder = tests.appending(path: "Corpus/\(target.rawValue)")
    let inputs = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(!inputs.isEmpty)
    for input in inputs + target.examples {
      let bytes = [UInt8](try Data(contentsOf: input))
      #expect(throws: Never.self, "\(input.path)") { try target.play(bytes) }
    }
  }
}

@Suite struct BarrierTargetTests {
  /// More of them for a long run by hand (`MOONLATCH_FUZZ=1000 swift test`).
  private static let seeds: Range<UInt64> = {
    let wanted = ProcessInfo.processInfo.environment["MOONLATCH_FUZZ"].flatMap { UInt64($0) }
    return 1..<(wanted ?? 4) + 1
  }()

  @Test(
    "a rollback restores the state and patches lead back and forth, whatever a reducer does",
    arguments: seeds)
  func random(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    let bytes = (0..<2_000).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    try FuzzTarget.barrier.play(bytes)
  }
}

extension FuzzTarget {
  /// The files of the examples that are inputs too.
  fileprivate var examples: [URL] {
    let examples = tests.deletingLastPathComponent().appending(path: "examples")
    let files = FileManager.default.enumerator(at: examples, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }
    return (files ?? []).filter { isInput($0.lastPathComponent) }
  }

  private func isInput(_ name: String) -> Bool {
    switch self {
    case .flow:
      name.hasSuffix(".lua") && !name.hasSuffix(".scenario.lua") && !name.hasSuffix(".explore.lua")
        && !name.hasSuffix(".host.lua")
    case .scenario: name.hasSuffix(".scenario.lua")
    case .document: name.hasSuffix(".scxml")
    default: false
    }
  }
}
