import MoonlatchTesting
import Testing

/// The Swift of the page on exploring.
@Suite struct ExploringSampleTests {
  @Test("the explorations hold", arguments: Explorations(in: "../../../../examples/turnstile"))
  func explored(_ exploration: ExplorationTest) throws { try exploration.run() }
}
