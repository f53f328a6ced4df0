extension RunPlan {
  /// Keeps the units of the shard, and returns the receipt that is checked when the shards are joined.
  package mutating func keep(_ shard: Shard, durations: [String: Int]) -> ShardReceipt {
    let names = units.map(\.id)
    let plan = ShardPlan(names, into: shard.total, durations: durations)
    let own = plan.parts.indices.contains(shard.index - 1) ? plan.parts[shard.index - 1] : []
    units = own.map { units[$0] }
    return ShardReceipt(
      index: shard.index, total: shard.total, selected: names.count, selection: plan.digest,
      planned: own.map { names[$0] })
  }
}
