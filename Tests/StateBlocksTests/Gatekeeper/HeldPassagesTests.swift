import StateBlocks
import Testing

/// Behaviour that gatekeepers in Swift share with those of a flow, tested on both.
@Suite("Gatekeepers in Swift and in a flow")
struct HeldPassagesTests {
  /// A gatekeeper whose options are attempted as a whole.
  protocol TestedGatekeeper {
    associatedtype Ticket
    init()
    func holder(of option: String) -> String?
    mutating func attempt(_ options: Set<String>, unless others: Set<String>, at revision: Int)
      -> Ticket?
    mutating func reset(_ option: String) -> Bool
    mutating func end(_ ticket: Ticket) -> Bool
  }

  enum Kind: CaseIterable {
    case ofSwift, ofFlow

    var gatekeeper: any TestedGatekeeper {
      switch self {
      case .ofSwift: SwiftGatekeeper()
      case .ofFlow: FlowGatekeeper()
      }
    }
  }

  @Test("an option is held until it is reset, with a known holder", arguments: Kind.allCases)
  func holding(_ kind: Kind) {
    func check(_ gatekeeper: some TestedGatekeeper) {
      var gatekeeper = gatekeeper
      let passed = (4...5).map { gatekeeper.attempt(["x"], unless: [], at: $0) != nil }
      #expect(passed == [true, false])
      #expect(gatekeeper.holder(of: "x") == "attempt 4")
      #expect(gatekeeper.holder(of: "y") == nil)
      let resets = [gatekeeper.reset("x"), gatekeeper.reset("x")]
      #expect(resets == [true, false])
      let again = gatekeeper.attempt(["x"], unless: [], at: 6) != nil
      #expect(again)
    }
    check(kind.gatekeeper)
  }

  @Test(
    "an attempt that is refused for one option or condition takes none", arguments: Kind.allCases)
  func wholly(_ kind: Kind) {
    func check(_ gatekeeper: some TestedGatekeeper) {
      var gatekeeper = gatekeeper
      let passed = [
        gatekeeper.attempt(["x"], unless: [], at: 1) != nil,
        gatekeeper.attempt(["x", "y"], unless: [], at: 2) != nil,
        gatekeeper.attempt(["y"], unless: ["x", "z"], at: 3) != nil,
        gatekeeper.attempt(["y", "z"], unless: ["free"], at: 4) != nil,
      ]
      #expect(passed == [true, false, false, true])
      #expect(["x", "y", "z"].map(gatekeeper.holder) == ["attempt 1", "attempt 4", "attempt 4"])
    }
    check(kind.gatekeeper)
  }

  @Test("a late end is refused, and frees no other passage", arguments: Kind.allCases)
  func late(_ kind: Kind) throws {
    func check(_ gatekeeper: some TestedGatekeeper) throws {
      var gatekeeper = gatekeeper
      let one = gatekeeper.attempt(["x"], unless: [], at: 1)
      let first = try #require(one)
      let freed = [gatekeeper.reset("x"), gatekeeper.end(first)]
      #expect(freed == [true, false])
      let other = gatekeeper.attempt(["x"], unless: [], at: 2)
      let second = try #require(other)
      let late = gatekeeper.end(first)
      #expect(!late)
      #expect(gatekeeper.holder(of: "x") == "attempt 2")
      let ends = [gatekeeper.end(second), gatekeeper.end(second)]
      #expect(ends == [true, false])
      #expect(gatekeeper.holder(of: "x") == nil)
    }
    try check(kind.gatekeeper)
  }

  @Test("a copy is a snapshot that can be restored", arguments: Kind.allCases)
  func snapshot(_ kind: Kind) throws {
    func check(_ gatekeeper: some TestedGatekeeper) throws {
      var gatekeeper = gatekeeper
      let one = gatekeeper.attempt(["x"], unless: [], at: 1)
      let first = try #require(one)
      let snapshot = gatekeeper
      _ = gatekeeper.reset("x")
      _ = gatekeeper.attempt(["x"], unless: [], at: 2)
      #expect(snapshot.holder(of: "x") == "attempt 1")
      gatekeeper = snapshot
      let ended = gatekeeper.end(first)
      #expect(ended)
    }
    try check(kind.gatekeeper)
  }

  private let x = GatekeeperOption(gatekeeper: "k", option: "x")

  @Test("passages of a flow are undone and redone one by one, with their numbers")
  func backAndForth() throws {
    var passages = HeldPassages()
    _ = passages.attempt(x, by: "first", at: 1, time: 10)
    let freed = passages.reset(x)
    let taken = passages.attempt(x, by: "second", at: 2, time: 20)
    passages.remove(try #require(taken))
    passages.put(try #require(freed))
    #expect(passages[x].holder?.name == "first")
    #expect(passages.time(of: x) == 10)
    #expect(passages.firstStale(of: [x], for: [x: 1]) == nil)
    #expect(passages.firstStale(of: [x], for: [x: 2]) == x)
    _ = passages.reset(x)
    _ = passages.attempt(x, by: "third", at: 2, time: 30)
    #expect(passages.lastNumber == 3, "numbers never go back")
  }

  @Test("options belong to their gatekeepers, and an option that is reset first counts as free")
  func options() {
    var passages = HeldPassages()
    let y = GatekeeperOption(gatekeeper: "k", option: "y")
    let other = GatekeeperOption(gatekeeper: "other", option: "x")
    for option in [y, x] { _ = passages.attempt(option, by: "go", at: 1, time: 0) }
    #expect(passages.options(of: "k") == ["x", "y"])
    #expect(passages.firstHeld(of: [other]) == nil)
    #expect(passages.firstHeld(of: [other, y, x]) == y)
    #expect(passages.firstHeld(of: [other, y, x], besides: [y]) == x)
    #expect(passages.firstHeld(of: [y, x], besides: [x, y]) == nil)
    #expect(passages.firstStale(of: [other], for: [x: 7]) == nil, "another's number says nothing")
  }
}

private struct SwiftGatekeeper: HeldPassagesTests.TestedGatekeeper, Sendable {
  private var gatekeeper = Gatekeeper<Set<String>>()

  func holder(of option: String) -> String? {
    gatekeeper.holders.first { $0.options.contains(option) }?.name
  }

  mutating func attempt(_ options: Set<String>, unless others: Set<String>, at revision: Int)
    -> Passage?
  {
    try? gatekeeper.enter(options, unless: others, by: "attempt \(revision)", at: revision)
  }

  mutating func reset(_ option: String) -> Bool { gatekeeper.reset(for: option) }

  mutating func end(_ passage: Passage) -> Bool { gatekeeper.end(passage) }
}

/// A flow's dispatch, which tests all options before it takes any.
private struct FlowGatekeeper: HeldPassagesTests.TestedGatekeeper, Sendable {
  private var passages = HeldPassages()

  private func named(_ option: String) -> GatekeeperOption {
    GatekeeperOption(gatekeeper: "k", option: option)
  }

  func holder(of option: String) -> String? { passages[named(option)].holder?.name }

  mutating func attempt(_ options: Set<String>, unless others: Set<String>, at revision: Int)
    -> [GatekeeperOption: Int]?
  {
    let options = options.map(named)
    guard passages.firstHeld(of: others.map(named)) == nil,
      passages.firstHeld(of: options) == nil
    else { return nil }
    var taken: [GatekeeperOption: Int] = [:]
    for option in options {
      _ = passages.attempt(option, by: "attempt \(revision)", at: revision, time: 0)
      taken[option] = passages.lastNumber
    }
    return taken
  }

  mutating func reset(_ option: String) -> Bool { passages.reset(named(option)) != nil }

  mutating func end(_ taken: [GatekeeperOption: Int]) -> Bool {
    guard passages.firstStale(of: Array(taken.keys), for: taken) == nil else { return false }
    for option in taken.keys { _ = passages.reset(option) }
    return true
  }
}
