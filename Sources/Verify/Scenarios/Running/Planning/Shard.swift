import LuaRuntime

/// One part of several of a selection, such as `2/5`.
package struct Shard: Sendable, Hashable {
  /// The number of the part, counted from 1.
  package let index: Int
  package let total: Int
  /// A text that says where index and total come from.
  package var source: String?

  /// Makes a part; returns nil if the index is not between 1 and the total.
  package init?(index: Int, total: Int, source: String? = nil) {
    guard total >= 1, (1...total).contains(index), OutsideNumber.counts.contains(total) else {
      return nil
    }
    self.index = index
    self.total = total
    self.source = source
  }

  /// Reads a text such as `2/5`; returns nil if it is not a part.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      .map { OutsideNumber.integer($0, in: OutsideNumber.counts) }
    guard parts.count == 2, let index = parts[0], let total = parts[1] else { return nil }
    self.init(index: index, total: total)
  }

  /// An error that says why the environment does not determine which part this is.
  package struct AmbiguousShard: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the part that this process is, from the variables that its scheduler or CI server has set.
  ///
  /// Returns the whole if no such variable is set. An index without a total is an error: a guess would leave scenarios
  /// out.
  package static func automatic(_ variable: (String) -> String?) throws(AmbiguousShard) -> Shard {
    for scheduler in Scheduler.all {
      if let shard = try scheduler.shard(variable) { return shard }
    }
    guard let all = Shard(index: 1, total: 1, source: "no scheduler's variables are set") else {
      throw AmbiguousShard(description: "1/1 is not a shard")
    }
    return all
  }
}

/// The variables in which a scheduler tells a job which of several it is.
private struct Scheduler {
  let index: String
  let total: String
  /// The index of the first job: 0 or 1.
  let first: Int

  static let all = [
    Scheduler(index: "TEST_SHARD_INDEX", total: "TEST_TOTAL_SHARDS", first: 0),  // Bazel
    Scheduler(index: "SLURM_ARRAY_TASK_ID", total: "SLURM_ARRAY_TASK_COUNT", first: 1),
    Scheduler(index: "JOB_COMPLETION_INDEX", total: "MOONLATCH_SHARDS", first: 0),  // Kubernetes
    Scheduler(index: "BUILDKITE_PARALLEL_JOB", total: "BUILDKITE_PARALLEL_JOB_COUNT", first: 0),
    Scheduler(index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL", first: 0),
    Scheduler(index: "SYSTEM_JOBPOSITIONINPHASE", total: "SYSTEM_TOTALJOBSINPHASE", first: 1),
    Scheduler(index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", first: 1),  // GitLab
  ]

  func shard(_ variable: (String) -> String?) throws(Shard.AmbiguousShard) -> Shard? {
    guard let text = variable(index) else { return nil }
    let number = try read(text, index)
    guard let totalText = variable(total) else {
      throw Shard.AmbiguousShard(
        description: "\(index) is \(text), but \(total) is not set: "
          + "say how many shards there are, with \(total) or --shard \(number - first + 1)/N")
    }
    let count = try read(totalText, total)
    let position = try position(of: number, among: count, variable)
    guard let shard = Shard(index: position, total: count, source: "from \(index) and \(total)")
    else {
      throw Shard.AmbiguousShard(
        description: "\(index) is \(text) and \(total) is \(totalText), which is not a valid shard"
      )
    }
    return shard
  }

  private func read(_ text: String, _ name: String) throws(Shard.AmbiguousShard) -> Int {
    guard let number = OutsideNumber.integer(text, in: OutsideNumber.counts) else {
      throw Shard.AmbiguousShard(description: "\(name) is \"\(text)\", which is not a number")
    }
    return number
  }

  /// Returns the position of a job, counted from 1; the tasks of a Slurm array may begin anywhere and have steps.
  private func position(
    of number: Int, among count: Int, _ variable: (String) -> String?
  ) throws(Shard.AmbiguousShard) -> Int {
    guard index == "SLURM_ARRAY_TASK_ID" else { return number - first + 1 }
    func read(_ name: String, orElse value: Int) -> Int {
      variable(name).flatMap { OutsideNumber.integer($0, in: OutsideNumber.counts) } ?? value
    }
    let least = read("SLURM_ARRAY_TASK_MIN", orElse: 1)
    let most = read("SLURM_ARRAY_TASK_MAX", orElse: count)
    let step = max(1, read("SLURM_ARRAY_TASK_STEP", orElse: 1))
    guard (most - least) / step + 1 == count, (number - least) % step == 0 else {
      throw Shard.AmbiguousShard(
        description: "the tasks of the Slurm array (\(count) from \(least) to \(most)) are not "
          + "evenly numbered, so task \(number) cannot know which it is: use --array=1-\(count)")
    }
    return (number - least) / step + 1
  }
}
