import Synchronization
import Testing

@testable import LuaRuntime

@Suite("runs under way") struct RunUnderWayTests {
  @Test("a run that would go on for years is seen and ended from outside, and its VM goes on")
  func ended() async throws {
    let number = Mutex<UInt64?>(nil)
    async let watcher: RunUnderWay? = Self.endRun { number.withLock { $0 } }
    let vm = try LuaVM(memoryLimit: 8 << 20)
    number.withLock { $0 = vm.number }
    let error = try #require(vm.error(of: "\nwhile true do end", budget: .max))
    #expect(error.kind == .limit)
    #expect(error.message == "stopped: it ran for too long")
    #expect(error.line == 2)
    let run = try #require(await watcher)
    #expect(run.kind == "a script")
    #expect(try vm.run("return 1") == [.integer(1)])
    run.end()
    #expect(try vm.run("return 2") == [.integer(2)], "a run that is over is not ended again")
    #expect(!RunUnderWay.all.contains { $0.vm == vm.number })
  }

  private static func endRun(of number: @Sendable @escaping () -> UInt64?) async -> RunUnderWay? {
    await Task.detached {
      while true {
        if let run = RunUnderWay.all.first(where: { $0.vm == number() }) {
          run.end()
          return run
        }
        await Task.yield()
      }
    }.value
  }
}
