/// The stored answer to a passed dispatch with a key.
package struct KeyedAnswer: Sendable, Hashable {
  /// The key, as the caller of the dispatch chose it.
  package let key: String
  /// The SHA-256 digest of the action and the payload, by which a repeated dispatch is recognized.
  package let request: [UInt8]
  /// The revision of the commit.
  package let revision: Int

  /// Makes an answer.
  package init(key: String, request: [UInt8], revision: Int) {
    (self.key, self.request, self.revision) = (key, request, revision)
  }
}
