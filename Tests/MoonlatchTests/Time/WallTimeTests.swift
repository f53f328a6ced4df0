import Testing

@testable import FlowKernel

/// Times of the wall clock as texts.
@Suite struct WallTimeTests {
  @Test(
    "a time is read in the form of RFC 3339, in any zone",
    arguments: [
      "2026-11-27T10:00:00Z", "2026-11-27 10:00:00Z", "2026-11-27T10:00:00.000Z",
      "2026-11-27t12:30:00+02:30", "2026-11-26T23:00:00-11:00", "2026-11-27T10:00:00.0000009Z",
    ])
  func reads(text: String) { #expect(WallTime.microseconds(text) == 1_795_773_600_000_000) }

  @Test("a written time is read back", arguments: [0, 1, -1, 1_795_773_600_250_001])
  func again(time: Int) { #expect(WallTime.microseconds(WallTime.exact(time)) == time) }

  @Test("a date alone is the start of the day")
  func date() {
    #expect(WallTime.microseconds("1970-01-02") == 86_400_000_000)
    #expect(WallTime.microseconds("2024-02-29") == 1_709_164_800_000_000)
  }

  @Test(
    "a time outside of the years 1 to 9999, or an invalid one, is rejected",
    arguments: [
      "", "soon", "2026", "2026-11", "2026-13-01", "2025-02-29", "2026-11-27T", "2026-11-27T10:00Z",
      "2026-11-27T10:00:00", "2026-11-27T24:00:00Z", "2026-11-27T10:00:60Z",
      "2026-11-27T10:00:00.Z",
      "2026-11-27T10:00:00+2:00", "2026-11-27T10:00:00Z ", "0000-01-01",
      "0001-01-01T00:00:00+01:00",
      "9999-12-31T23:59:59-01:00", "27.11.2026",
    ])
  func none(text: String) { #expect(WallTime.microseconds(text) == nil) }
}
