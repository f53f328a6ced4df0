/// Time as a flow sees it: whole microseconds since the host began.
enum EngineTime {
  static func microseconds(_ seconds: Double) -> Int {
    let scaled = (seconds * 1_000_000).rounded()
    return scaled >= 9e18 ? Int(9e18) : Int(scaled)
  }

  static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }
}
