import StateBlocks
import Testing

@Suite("a gatekeeper of a set")
struct GatekeeperSetTests {
  @Test("takes one or several options, and latches by name")
  func several() throws {
    var gatekeeper = Gatekeeper<Set<String>>()
    _ = try gatekeeper.enter("camera", by: "photo()", at: 3)
    #expect(
      gatekeeper.refusal(for: ["camera", "microphone"]).map { "\($0)" }
        == "\"camera\" is held by photo() since revision 3")
    gatekeeper.reset(for: "camera")
    let call = try gatekeeper.enter(["camera", "microphone"], unless: ["muted"])
    #expect(!gatekeeper.mayPass(for: "microphone"))
    #expect(gatekeeper.end(call, latching: ["muted"]) == true)
    #expect(!gatekeeper.mayPass(for: ["camera"], unless: ["muted"]))
    #expect(gatekeeper.reset(for: ["muted", "camera"]) == true)
    #expect(gatekeeper.mayPass(for: ["camera", "microphone", "muted"]))
    #expect(gatekeeper.refusal(for: "camera") == nil)
  }
}
