import FuzzTargets
import Testing

@Suite struct TypeCrossingTests {
  @Test(
    "a value of a random type is taken or refused by everything alike, and becomes the same",
    arguments: 1...40 as ClosedRange<UInt64>)
  func crossing(seed: UInt64) throws {
    var count = TypeCrossing.Count()
    try TypeCrossing.play(seed: seed, &count)
    #expect(count.types == 1)
  }
}
