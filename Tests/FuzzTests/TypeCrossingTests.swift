import FuzzTargets
import Testing

@Suite struct TypeCrossingTests {
  @Test(
    "every interface accepts or rejects a value of a random type alike, with the same result",
    arguments: 1...40 as ClosedRange<UInt64>)
  func crossing(seed: UInt64) throws {
    var count = TypeCrossing.Count()
    try TypeCrossing.play(seed: seed, &count)
    #expect(count.types == 1)
  }
}
