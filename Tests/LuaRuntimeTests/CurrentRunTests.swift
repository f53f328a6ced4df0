import Platform
import struct Synchronization.Atomic
import Testing

@testable import LuaRuntime

@Suite("Current runs") struct CurrentRunTests {
  @Test("an endless run can be observed and ended from outside, and its VM stays usable")
  func ended() throws {
    let watcher = Watcher()
    let vm = try LuaVM(memoryLimit: 8 << 20)
    watcher.endRuns(of: vm.number)
    let error = try #require(vm.error(of: "\nwhile true do end", budget: .max))
    watcher.isDone.store(true, ordering: .relaxed)
    #expect(error.kind == .limit)
    #expect(error.message == "stopped: it ran for too long")
    #expect(error.line == 2)
    let run = try #require(watcher.seen.withLock { $0 })
    #expect(run.kind == "a script")
    #expect(try vm.run("return 1") == [.integer(1)])
    run.end()
    #expect(try vm.run("return 2") == [.integer(2)], "a run that is over is not ended again")
    #expect(!CurrentRun.all.contains { $0.vm == vm.number })
  }

  @Test("a run that waits for something outside of the process is not current meanwhile")
  func waiting() throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    vm.beginWork(.script, budget: 1_000)
    defer { vm.endWork() }
    func isCurrent() -> Bool { CurrentRun.all.contains { $0.vm == vm.number } }
    #expect(isCurrent())
    let isSeen = CurrentRun.waiting(in: vm) { isCurrent() }
    #expect(!isSeen)
    #expect(isCurrent())
  }

  /// Ends each run as soon as it is seen.
  ///
  /// It does so from a thread of its own: those of tasks may all be taken, one of them by the run itself. To load a
  /// script is a run too, before the one that goes on for years.
  private final class Watcher: Sendable {
    let seen = Mutex<CurrentRun?>(nil)
    let isDone = Atomic(false)

    func endRuns(of vm: UInt64) {
      SystemThread.start { [self] in
        while !isDone.load(ordering: .relaxed) {
          if let run = CurrentRun.all.first(where: { $0.vm == vm }) {
            seen.withLock { $0 = run }
            run.end()
          }
          usleep(100)
        }
      }
    }
  }
}
