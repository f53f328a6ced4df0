/// A key that the host holds: each is distinct from every other, whatever its value.
package final class HostKey: Sendable {
  package let value: any Sendable
  package init(_ value: any Sendable) { self.value = value }

  /// Returns true if the values are equal; values that cannot be compared never are.
  package func equals(_ other: HostKey) -> Bool {
    func isEqual<Key: Equatable>(_ value: Key) -> Bool { other.value as? Key == value }
    guard let value = value as? any Equatable else { return false }
    return isEqual(value)
  }
}
