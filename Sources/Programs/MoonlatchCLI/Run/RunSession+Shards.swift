import ArgumentParser
import Scenarios

/// The part of a selection that this shard runs.
extension RunSession {
  /// Returns the shard of `--shard`; nil without it.
  func shard() throws -> Shard? {
    try selecting.shard.map(Shard.init(option:))
  }

  /// Returns the durations of scenarios in the streams of `--timings`.
  func durations() throws -> [String: Int] {
    var durations: [String: Int] = [:]
    for file in selecting.timings {
      durations.merge(try StreamFile.read(file).durations, uniquingKeysWith: max)
    }
    return durations
  }

  /// Returns the message about the part.
  func line(for shard: Shard, _ receipt: ShardReceipt) -> String {
    shard.line(planned: receipt.planned.count, of: receipt.selected)
  }
}
