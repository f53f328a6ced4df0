/// The number of the fields that a VM knows of a payload; to read any other field is an error.
package struct PayloadShape: Hashable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  /// The shape of a payload that may be asked for any field.
  package static let open = PayloadShape(0)
}
