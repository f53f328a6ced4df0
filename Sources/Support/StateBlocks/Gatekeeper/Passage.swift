import Synchronization

/// What a gatekeeper grants to one who enters: a value with an identity.
///
/// Ending a passage frees exactly what it holds. Ending it twice, or after the gatekeeper was
/// reset, is a harmless `false`, so that a late end never frees somebody else's passage. Copies of
/// the value are the same passage.
///
/// ```swift
/// let passage = try gatekeeper.enter(.loading)
/// gatekeeper.end(passage)  // true
/// gatekeeper.end(passage)  // false
/// ```
public struct Passage: Hashable, Sendable {
  /// Unique in the process, so that a copied gatekeeper never takes a stranger for a holder; in
  /// `HeldPassages` unique in those.
  package let number: Int

  private static let count = Atomic<Int>(0)

  @usableFromInline
  static func next() -> Passage {
    Passage(number: count.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
