/// A work list that keeps its capacity when it is cleared.
package struct ScratchArray<Element: Sendable>: RandomAccessCollection, Sendable {
  @usableFromInline var elements: [Element] = []
  package private(set) var count = 0

  @inlinable package init() {}

  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { count }

  @inlinable package subscript(index: Int) -> Element {
    get {
      precondition(index < count)
      return elements[index]
    }
    set { elements[index] = newValue }
  }

  /// A copy of all elements, made at once; a copy as a collection would go element by element.
  var list: [Element] { Array(elements[..<count]) }

  mutating func append(_ element: Element) {
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count += 1
  }

  mutating func clear() { count = 0 }

  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return elements[count]
  }

  /// Keeps the first `kept` elements.
  mutating func keep(first kept: Int) { count = Swift.min(count, kept) }
}
