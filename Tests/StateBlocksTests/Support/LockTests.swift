import Testing

@testable import StateBlocks

@Suite("the lock")
struct LockTests {
  private final class Box: @unchecked Sendable {
    // `@unchecked`: `count` is read and written only under `lock`.
    let lock = Lock()
    var count = 0
  }

  @Test("admits one thread at a time, spinning or parked, and loses no waiter")
  func exclusion() throws {
    let box = Box()
    try onThreads(8) { _ in
      for _ in 0..<20_000 { box.lock.withLock { box.count += 1 } }
    }
    #expect(box.count == 160_000)
  }

  @Test("wakes a thread that sleeps while waiting for it")
  func parked() throws {
    let box = Box()
    let (began, done) = (Signal(), Signal())
    box.lock.lock()
    let waiter = Background(name: "waiter")
    waiter.run {
      began.send()
      box.lock.withLock { box.count += 1 }
      done.send()
    }
    began.wait()
    for _ in 0..<100_000 { box.count += 1 }
    box.lock.unlock()
    done.wait()
    #expect(box.count == 100_001)
  }

  @Test("knows its holder, and cannot be taken recursively")
  func owner() {
    let lock = Lock()
    let first = lock.tryLock(as: 7)
    let second = lock.tryLock(as: 8)
    #expect(first && !second)
    #expect(lock.owner == 7)
    lock.unlock()
    #expect(lock.owner == 0)
  }
}
