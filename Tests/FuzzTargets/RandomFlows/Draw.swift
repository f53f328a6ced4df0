import FlowKernel

/// A source of random choices, which are the same for the same seed on every machine.
struct Draw {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns a number below `count`.
  mutating func below(_ count: Int) -> Int { Int(random.next() >> 1) % max(1, count) }

  mutating func from(_ low: Int, to high: Int) -> Int { low + below(high - low + 1) }

  mutating func percent(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Element>(of list: [Element]) -> Element? {
    list.isEmpty ? nil : list[below(list.count)]
  }

  /// Returns one of the elements.
  mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    let index = below(others.count + 1)
    return index == 0 ? first : others[index - 1]
  }

  /// Returns at most `count` elements of a list, in its order.
  mutating func some<Element>(_ count: Int, of list: [Element]) -> [Element] {
    var indices = Array(list.indices)
    while indices.count > count { indices.remove(at: below(indices.count)) }
    return indices.map { list[$0] }
  }
}
