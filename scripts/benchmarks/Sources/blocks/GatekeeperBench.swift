import Bench
import StateBlocks
import Synchronization

/// Gatekeeper against an atomic flag, which has no identity and no reasons.
enum GatekeeperBench {
  private struct State: OptionSet {
    let rawValue: Int
    static let loading = State(rawValue: 1 << 0)
    static let loaded = State(rawValue: 1 << 1)
  }

  private final class Flag: Sendable {
    let isTaken = Atomic<Bool>(false)
  }

  static func run(_ report: inout BenchmarkReport) throws {
    let flag = Flag()
    var gatekeeper = Gatekeeper()
    var options = Gatekeeper<State>()
    let agent = Agent<Gatekeeper<Bool>>()
    let best = try Stopwatch.best(
      of: [
        .init(name: "atomic", count: 200_000) { count in
          var passed = 0
          for _ in 0..<count {
            let taken = flag.isTaken.compareExchange(
              expected: false, desired: true, ordering: .acquiringAndReleasing)
            let freed = flag.isTaken.compareExchange(
              expected: true, desired: false, ordering: .acquiringAndReleasing)
            if taken.exchanged && freed.exchanged { passed &+= 1 }
          }
          consume(passed)
        },
        .init(name: "bool", count: 200_000) { count in
          var passed = 0
          for _ in 0..<count {
            let taken = gatekeeper.attemptPassage()
            if gatekeeper.reset() && taken { passed &+= 1 }
          }
          consume(passed)
        },
        .init(name: "options", count: 200_000) { count in
          var passed = 0
          for _ in 0..<count {
            let taken = options.attemptPassage(for: .loading, unless: .loaded)
            if options.reset(for: .loading) && taken { passed &+= 1 }
          }
          consume(passed)
        },
        .init(name: "agent", count: 50_000) { count in
          var passed = 0
          for _ in 0..<count {
            let taken = agent.try()
            if agent.reset() && taken { passed &+= 1 }
          }
          consume(passed)
        },
      ], rounds: 100)
    report.title("gatekeeper, attempt and reset")
    report.figure("Atomic<Bool>, two compare-exchanges", best[0], "ns")
    report.figure("Gatekeeper<Bool>", best[1], "ns")
    report.figure("Gatekeeper<Options>, with unless", best[2], "ns")
    report.figure("Agent<Gatekeeper<Bool>>, thread-safe", best[3], "ns")
    report.target("Gatekeeper<Bool> takes", best[1] / best[0], atMost: 3)
    report.target("Gatekeeper<Options> takes", best[2] / best[0], atMost: 3)
  }
}
