import Testing

@testable import StateBlocks

@Suite("the queue")
struct QueueTests {
  @Test("returns its elements in order, however adding and taking alternate")
  func order() {
    var queue = Queue<Int>()
    var added = 0
    var taken: [Int] = []
    for step in 0..<1000 {
      for _ in 0..<(step % 5) {
        queue.append(added)
        added += 1
      }
      for _ in 0..<(step % 3) {
        if let next = queue.popFirst() { taken.append(next) }
      }
    }
    #expect(queue.count == added - taken.count)
    while let next = queue.popFirst() { taken.append(next) }
    #expect(taken == Array(0..<added))
    #expect(queue.isEmpty)
    #expect(queue.popFirst() == nil)
  }
}
