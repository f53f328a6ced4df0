import Testing

@testable import StateBlocks

@Suite("the nearest name")
struct NearestNameTests {
  @Test("is one within a typing error, or nil")
  func nearest() {
    let names = ["counter", "store", "log"]
    #expect(NearestName.to("countre", among: names) == "counter")
    #expect(NearestName.to("stroe", among: names) == "store")
    #expect(NearestName.to("lo", among: names) == "log")
    #expect(NearestName.to("scope", among: names) == nil)
    #expect(NearestName.to("", among: names) == nil)
    #expect(NearestName.to("x", among: []) == nil)
  }

  @Test("is the first in order if several are equally near")
  func ties() {
    #expect(NearestName.to("cat", among: ["rat", "bat"]) == "bat")
  }
}
