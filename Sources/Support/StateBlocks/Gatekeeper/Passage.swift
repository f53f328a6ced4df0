import Synchronization

/// A grant of a gatekeeper to a caller that enters: a value with an identity.
///
/// Ending a passage frees exactly its options. Ending it twice, or after the gatekeeper was reset, returns false and
/// changes nothing, so a late end never frees somebody else's passage. Copies of the value are the same passage.
///
/// ```swift
/// let passage = try gatekeeper.enter(.loading)
/// gatekeeper.end(passage)  // true
/// gatekeeper.end(passage)  // false
/// ```
public struct Passage: Hashable, Sendable {
  /// The number that identifies the passage.
  ///
  /// It is unique in the process, so that a copied gatekeeper never confuses two holders; in `HeldPassages` it is
  /// unique there.
  package let number: Int

  private static let count = Atomic<Int>(0)

  @usableFromInline
  static func next() -> Passage {
    Passage(number: count.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
