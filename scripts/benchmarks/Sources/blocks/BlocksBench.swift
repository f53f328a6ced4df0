import Bench
import Foundation

/// Prints every figure with its target; `--check` makes a missed target exit code 1.
@main
struct BlocksBench {
  static func main() throws {
    print("StateBlocks, against the post's SimpleAgent: interleaved rounds, smallest times")
    var report = BenchmarkReport()
    try AgentBench.run(&report)
    try GatekeeperBench.run(&report)
    try ScopeBench.run(&report)
    let missed = report.misses == 1 ? "1 target missed" : "\(report.misses) targets missed"
    print("\n" + (report.misses == 0 ? "all targets met" : missed))
    if report.misses > 0 && CommandLine.arguments.contains("--check") { exit(1) }
  }
}
