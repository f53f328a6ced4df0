import FlowKernel

/// Chance for what is drawn: the same for the same seed, everywhere.
struct Draw {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// A number below this one.
  mutating func below(_ count: Int) -> Int { Int(random.next() >> 1) % max(1, count) }

  mutating func from(_ low: Int, to high: Int) -> Int { low + below(high - low + 1) }

  mutating func percent(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Element>(of list: [Element]) -> Element? {
    list.isEmpty ? nil : list[below(list.count)]
  }

  /// One of a list that is known to have some.
  mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    let index = below(others.count + 1)
    return index == 0 ? first : others[index - 1]
  }

  /// So many of a list at most, in its order.
  mutating func some<Element>(_ count: Int, of list: [Element]) -> [Element] {
    var indices = Array(list.indices)
    while indices.count > count { indices.remove(at: below(indices.count)) }
    return indices.map { list[$0] }
  }
}
