/// A text that equals another only if their bytes are equal; texts are ordered by their bytes.
///
/// Swift's strings are equal if they look the same. Ids and keys must match exactly, in every journal.
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
    var text = text  // copies only if the text is not contiguous
    return text.withUTF8(body)
  }
}
