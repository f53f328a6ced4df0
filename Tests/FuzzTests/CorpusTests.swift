import Foundation
import Testing

@testable import FuzzTargets

private let corpus = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Corpus")

@Suite struct CorpusTests {
  @Test(
    "every input of the corpus, and all that was ever found, plays", arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let folder = corpus.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(!names.isEmpty)
    for name in names {
      let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
      #expect(throws: Never.self, "\(target.rawValue)/\(name)") { try target.play(bytes) }
    }
  }
}

@Suite struct BarrierTargetTests {
  /// More of them for a long run by hand (`MOONLATCH_FUZZ=1000 swift test`).
  private static let seeds: Range<UInt64> = {
    let wanted = ProcessInfo.processInfo.environment["MOONLATCH_FUZZ"].flatMap { UInt64($0) }
    return 1..<(wanted ?? 12) + 1
  }()

  @Test(
    "whatever a reducer does, a rollback restores the state and a patch leads back and forth",
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
