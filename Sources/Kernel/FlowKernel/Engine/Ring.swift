/// A queue of elements that grows at its end and shrinks at both ends, each in constant time.
struct Ring<Element> {
  /// The elements, from `start` on; the first place follows the last.
  private var places: [Element?] = []
  private var start = 0
  package private(set) var count = 0

  package var indices: Range<Int> { 0..<count }

  /// The element at an index, which must be in range.
  package subscript(index: Int) -> Element? {
    get { places[place(of: index)] }
    set { places[place(of: index)] = newValue }
  }

  private func place(of index: Int) -> Int {
    let place = start + index
    return place < places.count ? place : place - places.count
  }

  @inline(__always)
  package mutating func append(_ element: consuming Element) {
    if count == places.count { grow() }
    places[place(of: count)] = element
    count += 1
  }

  /// Adds one place, or as many as there are before the first element; the elements at the start of `places` move
  /// there.
  private mutating func grow() {
    let before = places.count
    places.append(nil)
    for place in 0..<start {
      if place > 0 { places.append(nil) }
      places.swapAt(place, before + place)
    }
  }

  package mutating func removeFirst() -> Element? {
    guard count > 0 else { return nil }
    var first: Element?
    swap(&first, &places[start])  // moves the element instead of copying it
    start = start + 1 == places.count ? 0 : start + 1
    count -= 1
    return first
  }

  package mutating func removeLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    var last: Element?
    swap(&last, &places[place(of: count)])
    return last
  }
}

extension Ring: Sendable where Element: Sendable {}
