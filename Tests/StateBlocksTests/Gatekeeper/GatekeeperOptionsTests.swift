import StateBlocks
import Testing

/// The options of the post's second example.
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

  @Test("the post's view controller does not load while it is loading or has loaded")
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

  @Test("the words of the post do what they did there")
  func words() {
    var keeper = Gatekeeper<State>()
    let first = keeper.attemptPassage(for: .loading)
    let second = keeper.attemptPassage(for: .loading)
    #expect(first && !second)
    #expect(!keeper.mayPass(for: .loading))
    #expect(keeper.mayPass(for: .loaded))
    let third = keeper.attemptPassage(for: .loaded)
    #expect(third)
    keeper.reset(for: .loading)
    #expect(keeper.mayPass(for: .loading))
    #expect(!keeper.mayPass(for: .loaded))
  }

  @Test("an option of several bits is refused when one of them is held, and taken whole otherwise")
  func severalBits() throws {
    var keeper = Gatekeeper<State>()
    let loading = try keeper.enter(.loading, by: "load()", at: 41)
    let refused = keeper.attemptPassage(for: [.loading, .loaded])
    #expect(!refused)
    #expect(keeper.heldOptions == .loading)
    #expect(
      keeper.refusal(for: [.loaded, .loading]).map { "\($0)" }
        == "\"loading\" is held by load() since revision 41")
    keeper.end(loading)
    let both = try keeper.enter([.loading, .loaded])
    #expect(keeper.heldOptions == [.loading, .loaded])
    #expect(keeper.holders.count == 1)
    #expect(keeper.end(both) == true)
    #expect(keeper.heldOptions == [])
  }

  @Test("the empty option asks for nothing: it passes, and holds nothing")
  func empty() throws {
    var keeper = Gatekeeper<State>()
    #expect(keeper.mayPass(for: []))
    let passage = try keeper.enter([])
    let again = keeper.attemptPassage(for: [])
    #expect(again)
    #expect(keeper.holders.isEmpty)
    #expect(keeper.end(passage) == false)
    keeper.latch(.loaded)
    #expect(!keeper.mayPass(for: [], unless: .loaded))
  }

  @Test("resetting a part frees that part only, and never makes the whole passable")
  func partialReset() throws {
    var keeper = Gatekeeper<State>()
    let both = try keeper.enter([.loading, .loaded])
    #expect(keeper.reset(for: .loading) == true)
    #expect(!keeper.mayPass(for: [.loading, .loaded]))
    #expect(keeper.mayPass(for: .loading))
    #expect(keeper.end(both) == true)
    #expect(keeper.mayPass(for: .loaded))
    #expect(keeper.reset(for: .loaded) == false)
  }

  @Test("a late end after a reset frees nobody else's passage, and latches nothing")
  func lateEnd() throws {
    var keeper = Gatekeeper<State>()
    let first = try keeper.enter(.loading)
    keeper.reset(for: .loading)
    let second = try keeper.enter(.loading)
    #expect(keeper.end(first, latching: .loaded) == false)
    #expect(keeper.heldOptions == .loading)
    #expect(keeper.latchedOptions == [])
    #expect(keeper.end(second, latching: .loaded) == true)
    #expect(keeper.end(second, latching: .loaded) == false)
    #expect(keeper.latchedOptions == .loaded)
  }

  @Test("a latch closes an option, belongs to nobody, and only a reset opens it")
  func latches() throws {
    var keeper = Gatekeeper<State>()
    let latched = [keeper.latch(.loaded, by: "load()", at: 7), keeper.latch(.loaded)]
    #expect(latched == [true, false])
    #expect(keeper.holders.isEmpty)
    let error = #expect(throws: PassageRefusal.self) { try keeper.enter(.loaded) }
    #expect(error.map { "\($0)" } == "\"loaded\" is latched by load() since revision 7")
    let passage = try keeper.enter(.loading)
    keeper.latch(.loading)
    #expect(keeper.end(passage) == true)
    #expect(!keeper.mayPass(for: .loading))
    #expect(keeper.reset(for: .loading) == true)
    #expect(keeper.mayPass(for: .loading))
  }

  @Test("holders are listed with their options, the earliest first")
  func holders() throws {
    var keeper = Gatekeeper<State>()
    let loaded = try keeper.enter(.loaded, by: "restore()", at: 1)
    _ = try keeper.enter(.loading, by: "load()", at: 2)
    #expect(keeper.holders.map(\.name) == ["restore()", "load()"])
    #expect(keeper.holders.map(\.options) == [.loaded, .loading])
    #expect(keeper.holders.first?.passage == loaded)
  }

  @Test("withPassage ends on a throw, and may latch from inside")
  func withPassage() throws {
    var keeper = Gatekeeper<State>()
    #expect(throws: Oops()) {
      try keeper.withPassage(for: .loading, unless: .loaded) { _ in throw Oops() }
    }
    #expect(keeper.mayPass(for: .loading))
    try keeper.withPassage(for: .loading, unless: .loaded) { _ = $0.latch(.loaded) }
    #expect(
      throws: PassageRefusal(option: "loaded", isLatched: true, holder: "withPassage()", since: nil)
    ) {
      try keeper.withPassage(for: .loading, unless: .loaded) { _ in Issue.record("it ran") }
    }
  }

  @Test("options without names are printed as Swift prints them")
  func nameless() {
    struct Plain: OptionSet { let rawValue: Int }
    var keeper = Gatekeeper<Plain>()
    keeper.latch(Plain(rawValue: 4), by: "me")
    #expect(
      keeper.refusal(for: Plain(rawValue: 4)).map { "\($0)" }
        == "\"Plain(rawValue: 4)\" is latched by me")
  }
}
