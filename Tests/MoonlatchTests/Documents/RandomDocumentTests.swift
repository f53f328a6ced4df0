import RandomCharts
import Testing

@Suite struct RandomDocumentTests {
  @Test(
    "random documents enter, leave, raise, send and tell what appendix D has them do",
    arguments: 0..<4 as Range<UInt64>)
  func agreesWithReference(part: UInt64) async {
    var total = DocumentComparison.Count()
    for seed in part * 40..<part * 40 + 40 {
      let found = DocumentComparison.difference(seed: seed, &total)
      #expect(found == nil)
      if found != nil { break }
      await Task.yield()  // others wait for the time of day
    }
    #expect(total.events > 200 && total.logged > 250 && total.ended > 0)
  }
}
