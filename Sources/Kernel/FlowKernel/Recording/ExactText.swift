/// A text that is the same as another where its bytes are, in the order of its bytes.
///
/// Swift's strings are equal where a reader sees the same: an id and a key are what was given, in every journal.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool {
    left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.withBytes { left in right.withBytes { left.lexicographicallyPrecedes($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  private func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    var text = text  // only where it is not in one piece a copy is made
    return text.withUTF8(body)
  }
}
