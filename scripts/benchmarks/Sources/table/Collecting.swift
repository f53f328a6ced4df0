import Baseline
import Bench
import Moonlatch
import Workloads

/// Flows of realistic size beside plain Lua, in interleaved rounds.
struct Collecting {
  private static let rounds = 120

  let rows: [Row]
  private let times: [String: Figure]

  init() throws {
    let measured = try Workload.all.map { workload in
      let times = try Stopwatch.best(
        of: [
          .init(name: workload.name, count: workload.count, body: workload.open()),
          Collecting.bare(workload),
        ], rounds: Collecting.rounds)
      return (workload, ours: Figure.nanoseconds(times[0]), bare: Figure.nanoseconds(times[1]))
    }
    rows = measured.map { workload, ours, bare in
      Row(
        workload.name, ours, against: "plain Lua, called from C", bare,
        .costs(atMost: workload.limit))
    }
    times = Dictionary(uniqueKeysWithValues: measured.map { ($0.0.key, $0.ours) })
  }

  /// Ours for the workload of that key.
  func best(_ key: String) -> Figure { times[key] ?? .nanoseconds(.nan) }

  private static func bare(_ workload: Workload) throws -> Stopwatch.Candidate {
    guard let baseline = baseline_open(workload.bare) else {
      throw WrongResult("\(workload.name): the plain functions could not be opened")
    }
    return .init(name: "bare", count: workload.count) { count in
      try WrongResult.unless(
        baseline_dispatch(baseline, Int32(count)), "\(workload.name): a plain call failed")
    }
  }
}
