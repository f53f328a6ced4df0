import LuaRuntime
import Platform

/// The time as a flow sees it: whole microseconds since the host began.
///
/// It has an end, far enough below the greatest `Int` that neither sums nor differences of two times overflow.
package enum EngineTime {
  /// The last possible time, some sixty thousand years after the first.
  package static let last = 2_000_000_000_000_000_000

  /// The due time of a timer that waits for something other than time.
  package static let never = Int.max

  /// Converts seconds to whole microseconds; a number beyond the last time becomes that, and NaN becomes 0.
  package static func microseconds(_ seconds: Double) -> Int {
    let scaled = (seconds * 1_000_000).rounded()
    return scaled.isNaN ? 0 : Int(min(max(scaled, -Double(last)), Double(last)))
  }

  /// Returns the time of the wall clock, in microseconds since 1970.
  @Sendable package static func wall() -> Int { microseconds(Date().timeIntervalSince1970) }

  /// Converts a duration to whole microseconds, at most the last time.
  package static func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? -last : last }
    return later(whole, by: Int(attoseconds / 1_000_000_000_000))
  }

  /// Returns the time some microseconds later, at most the last possible time.
  package static func later(_ time: Int, by delay: Int) -> Int {
    let (sum, overflow) = time.addingReportingOverflow(delay)
    if overflow { return delay < 0 ? -last : last }
    return min(max(sum, -last), last)
  }

  package static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }
}
