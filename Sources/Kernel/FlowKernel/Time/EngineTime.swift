import LuaRuntime
import Platform

/// Time as a flow sees it: whole microseconds since the host began.
///
/// It has an end, so far within what an `Int` holds that neither sums nor differences of two times
/// overflow.
package enum EngineTime {
  /// The last time there is, some sixty thousand years after the first.
  package static let last = 2_000_000_000_000_000_000

  /// The time of what waits for something else.
  package static let never = Int.max

  /// Whole microseconds; as many as there are for a time that is longer, none for what is no number.
  package static func microseconds(_ seconds: Double) -> Int {
    let scaled = (seconds * 1_000_000).rounded()
    return scaled.isNaN ? 0 : Int(min(max(scaled, -Double(last)), Double(last)))
  }

  /// What the wall clock shows, in microseconds since 1970.
  @Sendable package static func wall() -> Int { microseconds(Date().timeIntervalSince1970) }

  /// The same of a duration.
  package static func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? -last : last }
    return later(whole, by: Int(attoseconds / 1_000_000_000_000))
  }

  /// A time some microseconds later, or the last one there is.
  package static func later(_ time: Int, by delay: Int) -> Int {
    let (sum, overflow) = time.addingReportingOverflow(delay)
    if overflow { return delay < 0 ? -last : last }
    return min(max(sum, -last), last)
  }

  /// `20 s`, `0.5 s`.
  package static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e15
      ? "\(Int(seconds)) s" : "\(Value.text(of: seconds)) s"
  }

  package static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }
}
