import Platform
import Scenarios

/// Compares a text, the bytes up to the byte 31, with a snapshot that has the rest of them.
///
/// Equal texts must be found equal, differences must be reported with their lines, and an updated snapshot must be
/// equal from then on.
func playSnapshot(_ bytes: [UInt8]) throws {
  let parts = bytes.split(separator: 31, maxSplits: 1, omittingEmptySubsequences: false)
  let text = String(decoding: parts.first ?? [], as: UTF8.self)
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "fuzz-\(UUID().uuidString)", directoryHint: .isDirectory)
  let kept = folder.appending(path: "snapshots/a/it.txt")
  try FileManager.default.createDirectory(
    at: kept.deletingLastPathComponent(), withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  func verdict(_ policy: Snapshots.Policy) -> Snapshots.Verdict {
    Snapshots(
      file: folder.appending(path: "a.scenario.lua").path, name: "a.scenario.lua", policy: policy
    ).compare(text, with: "it")
  }
  try require(verdict(.keepAll) == .missing(path: "snapshots/a/it.txt"), "found what is not there")
  if parts.count > 1 {
    try Data(parts[1]).write(to: kept)
    switch verdict(.keep) {
    case .same: break
    case .differs(let lines, _): try require(!lines.isEmpty, "what differs is not told")
    case .refused where String(validating: parts[1], as: UTF8.self) == nil || parts[1].first == 27:
      return  // not our text: it is neither compared nor overwritten
    case let other: throw Finding(description: "\(other)")
    }
  }
  let updated = verdict(.update)
  try require(
    updated == .same || updated == .written(path: "snapshots/a/it.txt"), "\(updated)")
  try require(verdict(.keepAll) == .same, "what was kept is not the same")
}
