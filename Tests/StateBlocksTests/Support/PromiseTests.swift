import Foundation
import Testing

@testable import StateBlocks

/// Promises, values that are set once.
@Suite struct PromiseTests {
  @Test("the first value is delivered to callbacks added before and after it")
  func first() async {
    let promise = Promise<Int>()
    let early = Guarded<[Int]>([])
    promise.then { value in early.withLock { $0.append(value) } }
    #expect(promise.current == nil)
    #expect(promise.fulfill(1))
    #expect(!promise.fulfill(2))
    promise.then { value in early.withLock { $0.append(value + 10) } }
    #expect(early.withLock { $0 } == [1, 11])
    #expect(await promise.value == 1)
    #expect(promise.wait() == 1)
  }

  @Test("tasks, threads and callbacks are each resumed once, in any order")
  func race() async {
    for _ in 0..<200 {
      let promise = Promise<Int>()
      let called = Guarded(0)
      await withTaskGroup(of: Int.self) { group in
        for number in 0..<4 {
          group.addTask { await promise.value }
          group.addTask {
            promise.fulfill(number)
            return -1
          }
        }
        promise.then { _ in called.withLock { $0 += 1 } }
        var seen: Set<Int> = []
        for await value in group where value >= 0 { seen.insert(value) }
        #expect(seen.count == 1)
      }
      #expect(called.withLock { $0 } == 1)
    }
  }

  @Test("a callback added during delivery is called after the others")
  func nested() {
    let promise = Promise<Void>()
    let order = Guarded<[Int]>([])
    promise.then {
      order.withLock { $0.append(1) }
      promise.then { order.withLock { $0.append(3) } }
    }
    promise.then { order.withLock { $0.append(2) } }
    promise.fulfill(())
    #expect(order.withLock { $0 } == [1, 2, 3])
  }

  @Test("only Promise stores continuations in the package")
  func alone() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var others: [String] = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let mentions = ["CheckedContinuation", "UnsafeContinuation"].contains { text.contains($0) }
      if mentions, file.lastPathComponent != "Promise.swift" { others.append(file.path) }
    }
    #expect(others == [])
  }
}
