import RandomCharts
import Testing

@Suite struct RandomDocumentTests {
  @Test(
    "random documents behave as the algorithm of appendix D of the SCXML standard",
    arguments: 0..<2 as Range<UInt64>)
  func agreesWithReference(part: UInt64) async {
    var total = DocumentComparison.Count()
    for seed in part * 80..<part * 80 + 80 {
      let found = DocumentComparison.difference(seed: seed, &total)
      #expect(found == nil)
      if found != nil { break }
      await Task.yield()  // others wait for the time of day
    }
    #expect(total.events > 400)
    #expect(total.logged > 500)
    #expect(total.ended > 0)
  }
}
