import Foundation

/// Prints every figure of issue 3, with its target; `--check` makes a missed target exit code 1.
@main
struct BlocksBench {
  static func main() throws {
    print("StateBlocks, against the post's SimpleAgent: interleaved rounds, smallest times")
    var report = Report()
    try AgentBench.run(&report)
    try GatekeeperBench.run(&report)
    try ScopeBench.run(&report)
    print("\n\(report.misses == 0 ? "all targets met" : "\(report.misses) targets missed")")
    if report.misses > 0 && CommandLine.arguments.contains("--check") { exit(1) }
  }
}
