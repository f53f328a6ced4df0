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

  @Test("the post's view controller loads once at a time")
  func viewController() {
    let controller = ViewController()
    controller.load()
    controller.load()
    #expect(controller.fetches.count == 1)
    controller.fetches[0]()
    controller.load()
    #expect(controller.fetches.count == 2)
  }

  @Test("it lets one pass until it is reset, and says whether there was anything to reset")
  func passing() {
    var keeper = Gatekeeper()
    #expect(keeper.mayPass)
    let (first, second) = (keeper.attemptPassage(), keeper.attemptPassage())
    #expect(first && !second)
    #expect(!keeper.mayPass)
    let resets = [keeper.reset(), keeper.reset()]
    #expect(resets == [true, false])
    #expect(keeper.mayPass)
  }

  @Test("a refusal is a sentence with holder and revision")
  func refusal() throws {
    var keeper = Gatekeeper(name: "loading")
    #expect(keeper.refusal == nil)
    _ = try keeper.enter(by: "load()", at: 41)
    let error = #expect(throws: PassageRefusal.self) { try keeper.enter() }
    #expect(error.map { "\($0)" } == "\"loading\" is held by load() since revision 41")
    #expect(keeper.holder?.name == "load()")
    #expect(keeper.holder?.revision == 41)
  }

  @Test(
    "the holder is the calling function when nothing else is said, and the revision may be missing")
  func callingFunction() {
    var keeper = Gatekeeper(name: "loading")
    #expect(keeper.attemptPassage() == true)
    #expect(keeper.refusal.map { "\($0)" } == "\"loading\" is held by callingFunction()")
  }

  @Test("a passage ends once; twice, or late, is a harmless false")
  func ending() throws {
    var keeper = Gatekeeper()
    let first = try keeper.enter()
    #expect(keeper.end(first) == true)
    #expect(keeper.end(first) == false)
    let second = try keeper.enter()
    keeper.reset()
    let third = try keeper.enter()
    #expect(keeper.end(first) == false)
    #expect(keeper.end(second) == false, "a late end must not free somebody else's passage")
    #expect(!keeper.mayPass)
    #expect(keeper.end(third) == true)
  }

  @Test("a passage that nobody keeps stays held: nothing ends behind one's back")
  func discarded() throws {
    var keeper = Gatekeeper()
    _ = try keeper.enter()
    #expect(!keeper.mayPass)
  }

  @Test(
    "withPassage ends the passage, also when its closure throws, and is refused without running")
  func withPassage() throws {
    var keeper = Gatekeeper()
    let inside = try keeper.withPassage { $0.mayPass }
    #expect(!inside)
    #expect(throws: Oops()) { try keeper.withPassage { _ in throw Oops() } }
    #expect(keeper.mayPass)
    _ = try keeper.enter()
    #expect(throws: PassageRefusal.self) { try keeper.withPassage { _ in Issue.record("it ran") } }
  }

  @Test("a copy is another keeper, which does not take the first one's new passages for its own")
  func copies() throws {
    var keeper = Gatekeeper()
    var copy = keeper
    let passage = try keeper.enter()
    #expect(copy.mayPass)
    let other = try copy.enter()
    #expect(copy.end(passage) == false)
    #expect(keeper.end(other) == false)
    #expect(keeper.end(passage) == true)
    #expect(copy.end(other) == true)
  }
}
