import StateBlocks
import Testing

/// The options of the article's second example.
struct State: OptionSet, NamedOptions, Hashable {
  let rawValue: Int

  static let loading = State(rawValue: 1 << 0)
  static let loaded = State(rawValue: 1 << 1)
  static let optionNames: KeyValuePairs = [State.loading: "loading", .loaded: "loaded"]
}

@Suite("a gatekeeper of options")
struct GatekeeperOptionsTests {
  /// The second example of the post "Use a Gatekeeper to manage control flow".
  final class ViewController {
    private(set) var stateGatekeeper = Gatekeeper<State>()
    private(set) var fetches: [(Bool) -> Void] = []

    func load() {
      guard let passage = try? stateGatekeeper.enter(.loading, unless: .loaded) else { return }
      fetches.append { [weak self] isDone in
        self?.stateGatekeeper.end(passage, latching: isDone ? .loaded : [])
      }
    }

    func reload() {
      stateGatekeeper.reset(for: .loaded)
      load()
    }
  }

  @Test("the article's view controller does not load while it is loading or has loaded")
  func viewController() {
    let controller = ViewController()
    controller.load()
    controller.load()
    #expect(controller.fetches.count == 1)
    controller.fetches[0](false)
    controller.load()
    #expect(controller.fetches.count == 2, "what failed has not loaded")
    controller.fetches[1](true)
    controller.load()
    #expect(controller.fetches.count == 2)
    #expect(controller.stateGatekeeper.latchedOptions == .loaded)
    controller.reload()
    #expect(controller.fetches.count == 3)
  }

  @Test("the functions of the article behave as in the article")
  func words() {
    var gatekeeper = Gatekeeper<State>()
    let first = gatekeeper.attemptPassage(for: .loading)
    let second = gatekeeper.attemptPassage(for: .loading)
    #expect(first && !second)
    #expect(!gatekeeper.mayPass(for: .loading))
    #expect(gatekeeper.mayPass(for: .loaded))
    let third = gatekeeper.attemptPassage(for: .loaded)
    #expect(third)
    gatekeeper.reset(for: .loading)
    #expect(gatekeeper.mayPass(for: .loading))
    #expect(!gatekeeper.mayPass(for: .loaded))
  }

  @Test("an option of several bits is refused if one of them is held, and otherwise taken whole")
  func severalBits() throws {
    var gatekeeper = Gatekeeper<State>()
    let loading = try gatekeeper.enter(.loading, by: "load()", at: 41)
    let refused = gatekeeper.attemptPassage(for: [.loading, .loaded])
    #expect(!refused)
    #expect(gatekeeper.heldOptions == .loading)
    #expect(
      gatekeeper.refusal(for: [.loaded, .loading]).map { "\($0)" }
        == "\"loading\" is held by load() since revision 41")
    gatekeeper.end(loading)
    let both = try gatekeeper.enter([.loading, .loaded])
    #expect(gatekeeper.heldOptions == [.loading, .loaded])
    #expect(gatekeeper.holders.count == 1)
    #expect(gatekeeper.end(both) == true)
    #expect(gatekeeper.heldOptions == [])
  }

  @Test("the empty option passes and holds nothing")
  func empty() throws {
    var gatekeeper = Gatekeeper<State>()
    #expect(gatekeeper.mayPass(for: []))
    let passage = try gatekeeper.enter([])
    let again = gatekeeper.attemptPassage(for: [])
    #expect(again)
    #expect(gatekeeper.holders.isEmpty)
    #expect(gatekeeper.end(passage) == false)
    gatekeeper.latch(.loaded)
    #expect(!gatekeeper.mayPass(for: [], unless: .loaded))
  }

  @Test("resetting a part frees that part only, and the whole stays held")
  func partialReset() throws {
    var gatekeeper = Gatekeeper<State>()
    let both = try gatekeeper.enter([.loading, .loaded])
    #expect(gatekeeper.reset(for: .loading) == true)
    #expect(!gatekeeper.mayPass(for: [.loading, .loaded]))
    #expect(gatekeeper.mayPass(for: .loading))
    #expect(gatekeeper.end(both) == true)
    #expect(gatekeeper.mayPass(for: .loaded))
    #expect(gatekeeper.reset(for: .loaded) == false)
  }

  @Test("ending a passage late, after a reset, frees no other passage and latches nothing")
  func lateEnd() throws {
    var gatekeeper = Gatekeeper<State>()
    let first = try gatekeeper.enter(.loading)
    gatekeeper.reset(for: .loading)
    let second = try gatekeeper.enter(.loading)
    #expect(gatekeeper.end(first, latching: .loaded) == false)
    #expect(gatekeeper.heldOptions == .loading)
    #expect(gatekeeper.latchedOptions == [])
    #expect(gatekeeper.end(second, latching: .loaded) == true)
    #expect(gatekeeper.end(second, latching: .loaded) == false)
    #expect(gatekeeper.latchedOptions == .loaded)
  }

  @Test("a latch closes an option without a holder, and only a reset opens it")
  func latches() throws {
    var gatekeeper = Gatekeeper<State>()
    let latched = [gatekeeper.latch(.loaded, by: "load()", at: 7), gatekeeper.latch(.loaded)]
    #expect(latched == [true, false])
    #expect(gatekeeper.holders.isEmpty)
    let error = #expect(throws: PassageRefusal.self) { try gatekeeper.enter(.loaded) }
    #expect(error.map { "\($0)" } == "\"loaded\" is latched by load() since revision 7")
    let passage = try gatekeeper.enter(.loading)
    gatekeeper.latch(.loading)
    #expect(gatekeeper.end(passage) == true)
    #expect(!gatekeeper.mayPass(for: .loading))
    #expect(gatekeeper.reset(for: .loading) == true)
    #expect(gatekeeper.mayPass(for: .loading))
  }

  @Test("holders are listed with their options, the earliest first")
  func holders() throws {
    var gatekeeper = Gatekeeper<State>()
    let loaded = try gatekeeper.enter(.loaded, by: "restore()", at: 1)
    _ = try gatekeeper.enter(.loading, by: "load()", at: 2)
    #expect(gatekeeper.holders.map(\.name) == ["restore()", "load()"])
    #expect(gatekeeper.holders.map(\.options) == [.loaded, .loading])
    #expect(gatekeeper.holders.first?.passage == loaded)
  }

  @Test("withPassage ends on a throw, and its closure may latch")
  func withPassage() throws {
    var gatekeeper = Gatekeeper<State>()
    #expect(throws: Oops()) {
      try gatekeeper.withPassage(for: .loading, unless: .loaded) { _ in throw Oops() }
    }
    #expect(gatekeeper.mayPass(for: .loading))
    try gatekeeper.withPassage(for: .loading, unless: .loaded) { _ = $0.latch(.loaded) }
    #expect(
      throws: PassageRefusal(option: "loaded", isLatched: true, holder: "withPassage()", since: nil)
    ) {
      try gatekeeper.withPassage(for: .loading, unless: .loaded) { _ in Issue.record("it ran") }
    }
  }

  @Test("options without names are described as by Swift")
  func nameless() {
    struct Plain: OptionSet { let rawValue: Int }
    var gatekeeper = Gatekeeper<Plain>()
    gatekeeper.latch(Plain(rawValue: 4), by: "me")
    #expect(
      gatekeeper.refusal(for: Plain(rawValue: 4)).map { "\($0)" }
        == "\"Plain(rawValue: 4)\" is latched by me")
  }
}
