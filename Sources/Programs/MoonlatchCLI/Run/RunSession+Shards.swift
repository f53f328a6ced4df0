import ArgumentParser
import Scenarios

/// The part of a selection that is run.
extension RunSession {
  /// What `--shard` says; nil without it.
  func shard() throws -> Shard? {
    try selecting.shard.map(Shard.init(option:))
  }

  /// How long scenarios took in the streams of `--timings`.
  func durations() throws -> [String: Int] {
    var durations: [String: Int] = [:]
    for file in selecting.timings {
      durations.merge(try StreamFile.read(file).durations, uniquingKeysWith: max)
    }
    return durations
  }

  /// What is told of the part.
  func line(for shard: Shard, _ receipt: ShardReceipt) -> String {
    shard.line(planned: receipt.planned.count, of: receipt.selected)
  }
}
