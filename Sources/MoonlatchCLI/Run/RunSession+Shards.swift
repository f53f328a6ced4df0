import ArgumentParser
import Platform
import Scenarios

/// The part of a selection that is run.
extension RunSession {
  /// What `--shard` says; nil without it.
  func shard() throws -> Shard? {
    guard let text = selecting.shard else { return nil }
    if text == "auto" {
      do {
        let shard = try Shard.automatic { Environment[$0] }
        supportShards()
        return shard
      } catch {
        throw ValidationError("\(error).")
      }
    }
    guard let shard = Shard(text) else {
      throw ValidationError(
        "--shard takes a part of a whole, such as 2/5, or auto; not \"\(text)\".")
    }
    return shard
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
    let source = shard.source.map { " (\($0))" } ?? ""
    return "shard \(shard.index)/\(shard.total)\(source): \(receipt.planned.count) of "
      + "\(receipt.selected)\n"
  }

  /// Bazel asks for a file to be touched by whoever knows of shards.
  private func supportShards() {
    guard let path = Environment["TEST_SHARD_STATUS_FILE"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o644)
    if descriptor >= 0 { close(descriptor) }
  }
}
