extension RandomNumberGenerator {
  /// Returns a double from 0 up to, but not including, 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns an integer of the closed range, each with equal probability (by rejection).
  package mutating func integer(_ low: Int, _ high: Int) -> Int {
    let span = UInt64(bitPattern: Int64(high &- low)) &+ 1
    if span == 0 { return Int(bitPattern: UInt(next())) }
    let rejected = (0 &- span) % span
    while true {
      let number = next()
      if number >= rejected { return low &+ Int(truncatingIfNeeded: number % span) }
    }
  }
}
