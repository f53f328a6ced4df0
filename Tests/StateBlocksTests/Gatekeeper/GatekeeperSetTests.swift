import StateBlocks
import Testing

@Suite("a gatekeeper of a set")
struct GatekeeperSetTests {
  @Test("takes one by name, or several at once, and latches by name")
  func several() throws {
    var keeper = Gatekeeper<Set<String>>()
    _ = try keeper.enter("camera", by: "photo()", at: 3)
    #expect(
      keeper.refusal(for: ["camera", "microphone"]).map { "\($0)" }
        == "\"camera\" is held by photo() since revision 3")
    keeper.reset(for: "camera")
    let call = try keeper.enter(["camera", "microphone"], unless: ["muted"])
    #expect(!keeper.mayPass(for: "microphone"))
    #expect(keeper.end(call, latching: ["muted"]) == true)
    #expect(!keeper.mayPass(for: ["camera"], unless: ["muted"]))
    #expect(keeper.reset(for: ["muted", "camera"]) == true)
    #expect(keeper.mayPass(for: ["camera", "microphone", "muted"]))
    #expect(keeper.refusal(for: "camera") == nil)
  }
}
