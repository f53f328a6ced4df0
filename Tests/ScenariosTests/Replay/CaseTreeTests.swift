import Testing

@testable import FlowKernel
@testable import FlowLanguage
@testable import Scenarios

@Suite struct CaseTreeTests {
  private var tree = CaseTree()
  private let refused = EventOutcome(
    why: ReplayDeviation.RejectionReason(
      .refused(
        Refusal(
          action: "push", rejectedBy: .gate("push"), reason: "no",
          place: SourcePlace(file: "f.lua", line: 1))
      )))

  private func child(_ event: String, of node: Int) -> Int? {
    var event = event
    return event.withUTF8 { tree.child(of: node, $0) }
  }

  private mutating func add(_ event: String, to node: Int, _ outcome: EventOutcome = .passed)
    -> Int?
  {
    var event = event
    return event.withUTF8 { tree.add($0, to: node, outcome) }
  }

  @Test("a case is found by the sequence of its events, with the outcome of the last")
  mutating func paths() throws {
    let coin = try #require(add("coin", to: CaseTree.root))
    let push = try #require(add("push", to: CaseTree.root, refused))
    let both = try #require(add("push", to: coin))
    #expect(child("coin", of: CaseTree.root) == coin)
    #expect(child("push", of: CaseTree.root) == push)
    #expect(child("push", of: coin) == both)
    #expect(child("coin", of: coin) == nil)
    #expect(child("coi", of: CaseTree.root) == nil)
    #expect(tree.isPlain(both))
    #expect(!tree.isPlain(push))
    #expect(tree.outcome(of: push) == refused)
    #expect(tree.path(to: both).map { String(decoding: $0, as: UTF8.self) } == ["coin", "push"])
    #expect(tree.path(to: CaseTree.root).isEmpty)
  }

  @Test("200 cases of 20 events each are distinguished")
  mutating func many() throws {
    var ends: [Int] = []
    for number in 0..<200 {
      var node = CaseTree.root
      for step in 0..<20 {
        let event = "\(number >> (step % 8) & 1)"
        let next = child(event, of: node) ?? add(event, to: node)
        node = try #require(next)
      }
      ends.append(node)
    }
    #expect(Set(ends).count == 200)
    #expect(tree.count > 2_000)
    for number in 0..<200 {
      #expect(
        tree.path(to: ends[number]).map { $0.first == UInt8(ascii: "1") }
          == (0..<20).map { number >> ($0 % 8) & 1 == 1 })
    }
  }

  @Test("a full tree keeps its nodes, events and outcomes and accepts no more")
  mutating func bounds() throws {
    tree.mostNodes = 3
    tree.mostBytes = 10
    let known = try #require(add("coin", to: CaseTree.root))
    #expect(add("a long event", to: known) == nil)
    #expect(add("push", to: known, refused) == nil)
    #expect(add("push", to: known) != nil)
    #expect(add("ring", to: known) == nil)
    #expect(tree.count == 3)
    #expect(child("coin", of: CaseTree.root) == known)
  }
}
