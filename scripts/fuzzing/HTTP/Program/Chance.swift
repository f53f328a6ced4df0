/// Chance for what is drawn (SplitMix64): the same for the same seed, everywhere.
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number below this one; 0 below 1.
  mutating func below(_ bound: Int) -> Int { Int(next() >> 1) % max(1, bound) }

  mutating func from(_ low: Int, to high: Int) -> Int { low + below(high - low + 1) }

  mutating func percent(_ percent: Int) -> Bool { below(100) < percent }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  /// One of some.
  mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    one(of: others, or: first)
  }

  /// One of a list and another.
  mutating func one<Element>(of list: [Element], or other: Element) -> Element {
    let index = below(list.count + 1)
    return index == list.count ? other : list[index]
  }
}
