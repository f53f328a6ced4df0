/// Time as a flow sees it: whole microseconds since the host began.
enum EngineTime {
  static func microseconds(_ seconds: Double) -> Int {
    let scaled = (seconds * 1_000_000).rounded()
    return scaled >= 9e18 ? Int(9e18) : Int(scaled)
  }

  /// Whole microseconds; as many as there are for a duration that is longer.
  static func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : later(whole, by: Int(attoseconds / 1_000_000_000_000))
  }

  /// A time some microseconds later, or the last one there is.
  static func later(_ time: Int, by delay: Int) -> Int {
    let (sum, overflow) = time.addingReportingOverflow(delay)
    return overflow ? .max : sum
  }

  static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }
}
