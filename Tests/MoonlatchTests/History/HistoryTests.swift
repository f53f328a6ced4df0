import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

@Suite struct HistoryTests {
  @Test("the latest commits are kept up to the limit, oldest first")
  func bounded() throws {
    let host = try FlowHost(
      source: going("s.n = s.n + 1"), options: HostOptions(limits: Limits(history: 3)))
    #expect(try host.commits.isEmpty)
    for _ in 1...5 { try host.passing() }
    #expect(try host.commits.map(\.revision) == [3, 4, 5])
    #expect(try host.commits.last?.writes.description == "n: 5 -> 6")
  }
}
