import Bench
import StateBlocks

/// Opening and closing.
enum ScopeBench {
  static func run(_ report: inout BenchmarkReport) throws {
    let root = Scope("root")
    let user = root.lock("user", key: Int.self)
    let members = (0..<10).map { index in user.factory("member \(index)") { try $0.key &+ index } }
    let app = try root.open()
    let best = try Stopwatch.best(
      of: [
        .init(name: "open and close", count: 20_000) { count in
          for index in 0..<count { try app.unlock(user, with: index).close() }
        },
        .init(name: "open, make ten, close", count: 10_000) { count in
          for index in 0..<count {
            let instance = try app.unlock(user, with: index)
            for member in members { consume(try instance.make(member)) }
            try instance.close()
          }
        },
      ], rounds: 10)
    report.title("scope with ten members")
    report.guide("open and close", best[0] / 1000, atMost: 5, "µs")
    report.figure("open, make each member once, close", best[1] / 1000, "µs")
  }
}
