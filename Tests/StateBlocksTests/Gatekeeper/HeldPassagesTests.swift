import StateBlocks
import Testing

/// What a gatekeeper of Swift and those of a flow have in common is tested on both.
@Suite("who passes a gatekeeper, of Swift or of a flow")
struct HeldPassagesTests {
  /// A gatekeeper whose options are attempted as a whole.
  protocol Keeper {
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

    var keeper: any Keeper {
      switch self {
      case .ofSwift: SwiftKeeper()
      case .ofFlow: FlowKeeper()
      }
    }
  }

  @Test("an option is held until it is reset, and its holder is known", arguments: Kind.allCases)
  func holding(_ kind: Kind) {
    func check(_ keeper: some Keeper) {
      var keeper = keeper
      let passed = (4...5).map { keeper.attempt(["x"], unless: [], at: $0) != nil }
      #expect(passed == [true, false])
      #expect(keeper.holder(of: "x") == "attempt 4")
      #expect(keeper.holder(of: "y") == nil)
      let resets = [keeper.reset("x"), keeper.reset("x")]
      #expect(resets == [true, false])
      let again = keeper.attempt(["x"], unless: [], at: 6) != nil
      #expect(again)
    }
    check(kind.keeper)
  }

  @Test(
    "an attempt that is refused for a part or a condition takes nothing", arguments: Kind.allCases)
  func wholly(_ kind: Kind) {
    func check(_ keeper: some Keeper) {
      var keeper = keeper
      let passed = [
        keeper.attempt(["x"], unless: [], at: 1) != nil,
        keeper.attempt(["x", "y"], unless: [], at: 2) != nil,
        keeper.attempt(["y"], unless: ["x", "z"], at: 3) != nil,
        keeper.attempt(["y", "z"], unless: ["free"], at: 4) != nil,
      ]
      #expect(passed == [true, false, false, true])
      #expect(["x", "y", "z"].map(keeper.holder) == ["attempt 1", "attempt 4", "attempt 4"])
    }
    check(kind.keeper)
  }

  @Test("a late end is refused, and frees nobody else's passage", arguments: Kind.allCases)
  func late(_ kind: Kind) throws {
    func check(_ keeper: some Keeper) throws {
      var keeper = keeper
      let one = keeper.attempt(["x"], unless: [], at: 1)
      let first = try #require(one)
      let freed = [keeper.reset("x"), keeper.end(first)]
      #expect(freed == [true, false])
      let other = keeper.attempt(["x"], unless: [], at: 2)
      let second = try #require(other)
      let late = keeper.end(first)
      #expect(!late)
      #expect(keeper.holder(of: "x") == "attempt 2")
      let ends = [keeper.end(second), keeper.end(second)]
      #expect(ends == [true, false])
      #expect(keeper.holder(of: "x") == nil)
    }
    try check(kind.keeper)
  }

  @Test("a copy is a snapshot to go back to", arguments: Kind.allCases)
  func snapshot(_ kind: Kind) throws {
    func check(_ keeper: some Keeper) throws {
      var keeper = keeper
      let one = keeper.attempt(["x"], unless: [], at: 1)
      let first = try #require(one)
      let snapshot = keeper
      _ = keeper.reset("x")
      _ = keeper.attempt(["x"], unless: [], at: 2)
      #expect(snapshot.holder(of: "x") == "attempt 1")
      keeper = snapshot
      let ended = keeper.end(first)
      #expect(ended)
    }
    try check(kind.keeper)
  }

  private let x = KeeperOption(keeper: "k", option: "x")

  @Test("of a flow's passages each is taken back and taken again by itself, under its number")
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

  @Test("options are told apart by their gatekeepers, and what is reset before counts as free")
  func options() {
    var passages = HeldPassages()
    let y = KeeperOption(keeper: "k", option: "y")
    let other = KeeperOption(keeper: "other", option: "x")
    for option in [y, x] { _ = passages.attempt(option, by: "go", at: 1, time: 0) }
    #expect(passages.options(of: "k") == ["x", "y"])
    #expect(passages.firstHeld(of: [other]) == nil)
    #expect(passages.firstHeld(of: [other, y, x]) == y)
    #expect(passages.firstHeld(of: [other, y, x], besides: [y]) == x)
    #expect(passages.firstHeld(of: [y, x], besides: [x, y]) == nil)
    #expect(passages.firstStale(of: [other], for: [x: 7]) == nil, "another's number says nothing")
  }
}

private struct SwiftKeeper: HeldPassagesTests.Keeper, Sendable {
  private var keeper = Gatekeeper<Set<String>>()

  func holder(of option: String) -> String? {
    keeper.holders.first { $0.options.contains(option) }?.name
  }

  mutating func attempt(_ options: Set<String>, unless others: Set<String>, at revision: Int)
    -> Passage?
  {
    try? keeper.enter(options, unless: others, by: "attempt \(revision)", at: revision)
  }

  mutating func reset(_ option: String) -> Bool { keeper.reset(for: option) }

  mutating func end(_ passage: Passage) -> Bool { keeper.end(passage) }
}

/// As a dispatch does it: all is asked about before anything is taken.
private struct FlowKeeper: HeldPassagesTests.Keeper, Sendable {
  private var passages = HeldPassages()

  private func named(_ option: String) -> KeeperOption {
    KeeperOption(keeper: "k", option: option)
  }

  func holder(of option: String) -> String? { passages[named(option)].holder?.name }

  mutating func attempt(_ options: Set<String>, unless others: Set<String>, at revision: Int)
    -> [KeeperOption: Int]?
  {
    let options = options.map(named)
    guard passages.firstHeld(of: others.map(named)) == nil,
      passages.firstHeld(of: options) == nil
    else { return nil }
    var taken: [KeeperOption: Int] = [:]
    for option in options {
      _ = passages.attempt(option, by: "attempt \(revision)", at: revision, time: 0)
      taken[option] = passages.lastNumber
    }
    return taken
  }

  mutating func reset(_ option: String) -> Bool { passages.reset(named(option)) != nil }

  mutating func end(_ taken: [KeeperOption: Int]) -> Bool {
    guard passages.firstStale(of: Array(taken.keys), for: taken) == nil else { return false }
    for option in taken.keys { _ = passages.reset(option) }
    return true
  }
}
