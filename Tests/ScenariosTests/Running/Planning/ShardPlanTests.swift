import Testing

@testable import Scenarios

@Suite struct ShardPlanTests {
  private let names = (0..<100).map { "s\($0)" }

  @Test("every name is in exactly one shard, in order")
  func partition() {
    for total in [1, 2, 3, 7, 100, 150] {
      let plan = ShardPlan(names, into: total, durations: ["s3": 500])
      #expect(plan.parts.count == min(total, names.count))
      #expect(plan.parts.flatMap { $0 }.sorted() == Array(names.indices))
      #expect(plan.parts.allSatisfy { $0 == $0.sorted() })
    }
  }

  @Test("any number of shards and any durations give a valid split")
  func anything() {
    let plan = ShardPlan(
      names, into: .max,
      durations: Dictionary(uniqueKeysWithValues: names.map { ($0, Int.max / 2) }))
    #expect(plan.parts.count == names.count)
    let two = ShardPlan(
      names, into: 2,
      durations: Dictionary(uniqueKeysWithValues: names.map { ($0, 1 << 60) }))
    #expect(two.parts.joined().count == names.count)
  }

  @Test("without durations the shards differ by at most one")
  func byCount() {
    let counts = ShardPlan(names, into: 7, durations: [:]).parts.map(\.count)
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
  }

  @Test("with durations the shards take about the same time")
  func byTime() {
    var durations: [String: Int] = [:]
    for (index, name) in names.enumerated() { durations[name] = index < 3 ? 10_000 : 100 + index }
    let plan = ShardPlan(names, into: 4, durations: durations)
    let loads = plan.parts.map { part in part.reduce(0) { $0 + (durations[names[$1]] ?? 0) } }
    // Three long ones in parts of their own, everything else in the fourth and beside them.
    #expect((loads.max() ?? 0) - (loads.min() ?? 0) < 300)
  }

  @Test("the split is the same on every machine, and its digest identifies the selection")
  func same() {
    let durations = ["s1": 5, "s2": 9]
    let plan = ShardPlan(names, into: 3, durations: durations)
    let again = ShardPlan(names, into: 3, durations: durations)
    #expect(plan.parts == again.parts)
    #expect(plan.digest == again.digest)
    #expect(plan.digest != ShardPlan(names, into: 3, durations: ["s1": 6, "s2": 9]).digest)
    #expect(plan.digest != ShardPlan(names.dropLast(), into: 3, durations: durations).digest)
  }
}
