import StateBlocks
import Testing

@Suite("a yes/no gatekeeper")
struct GatekeeperBoolTests {
  /// The first example of the post "Use a Gatekeeper to manage control flow".
  final class ViewController {
    private var loadingGatekeeper = Gatekeeper()
    private(set) var fetches: [() -> Void] = []

    func load() {
      guard loadingGatekeeper.attemptPassage() else { return }
      fetches.append { [weak self] in self?.loadingGatekeeper.reset() }
    }
  }

  @Test("the article's view controller loads once at a time")
  func viewController() {
    let controller = ViewController()
    controller.load()
    controller.load()
    #expect(controller.fetches.count == 1)
    controller.fetches[0]()
    controller.load()
    #expect(controller.fetches.count == 2)
  }

  @Test("an attempt passes until a reset, which says whether there was anything to reset")
  func passing() {
    var gatekeeper = Gatekeeper()
    #expect(gatekeeper.mayPass)
    let (first, second) = (gatekeeper.attemptPassage(), gatekeeper.attemptPassage())
    #expect(first && !second)
    #expect(!gatekeeper.mayPass)
    let resets = [gatekeeper.reset(), gatekeeper.reset()]
    #expect(resets == [true, false])
    #expect(gatekeeper.mayPass)
  }

  @Test("a refusal is described with holder and revision")
  func refusal() throws {
    var gatekeeper = Gatekeeper(name: "loading")
    #expect(gatekeeper.refusal == nil)
    _ = try gatekeeper.enter(by: "load()", at: 41)
    let error = #expect(throws: PassageRefusal.self) { try gatekeeper.enter() }
    #expect(error.map { "\($0)" } == "\"loading\" is held by load() since revision 41")
    #expect(gatekeeper.holder?.name == "load()")
    #expect(gatekeeper.holder?.revision == 41)
  }

  @Test("the default holder is the calling function, and the revision may be missing")
  func callingFunction() {
    var gatekeeper = Gatekeeper(name: "loading")
    #expect(gatekeeper.attemptPassage() == true)
    #expect(gatekeeper.refusal.map { "\($0)" } == "\"loading\" is held by callingFunction()")
  }

  @Test("a passage ends once, and ending it again or late returns false")
  func ending() throws {
    var gatekeeper = Gatekeeper()
    let first = try gatekeeper.enter()
    #expect(gatekeeper.end(first) == true)
    #expect(gatekeeper.end(first) == false)
    let second = try gatekeeper.enter()
    gatekeeper.reset()
    let third = try gatekeeper.enter()
    #expect(gatekeeper.end(first) == false)
    #expect(gatekeeper.end(second) == false, "a late end must not free somebody else's passage")
    #expect(!gatekeeper.mayPass)
    #expect(gatekeeper.end(third) == true)
  }

  @Test("a passage that is released without end stays held")
  func discarded() throws {
    var gatekeeper = Gatekeeper()
    _ = try gatekeeper.enter()
    #expect(!gatekeeper.mayPass)
  }

  @Test("withPassage ends the passage, also if its closure throws, and does not run if refused")
  func withPassage() throws {
    var gatekeeper = Gatekeeper()
    let inside = try gatekeeper.withPassage { $0.mayPass }
    #expect(!inside)
    #expect(throws: Oops()) { try gatekeeper.withPassage { _ in throw Oops() } }
    #expect(gatekeeper.mayPass)
    _ = try gatekeeper.enter()
    #expect(throws: PassageRefusal.self) {
      try gatekeeper.withPassage { _ in Issue.record("it ran") }
    }
  }

  @Test("a copy is a separate gatekeeper, which does not recognize the original's new passages")
  func copies() throws {
    var gatekeeper = Gatekeeper()
    var copy = gatekeeper
    let passage = try gatekeeper.enter()
    #expect(copy.mayPass)
    let other = try copy.enter()
    #expect(copy.end(passage) == false)
    #expect(gatekeeper.end(other) == false)
    #expect(gatekeeper.end(passage) == true)
    #expect(copy.end(other) == true)
  }
}
