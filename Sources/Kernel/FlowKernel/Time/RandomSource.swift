/// A function that returns the number at a position, counted from 0, of the sequence of a seed.
///
/// It must be pure: undoing a commit restores the position, and the same number is drawn again.
public typealias RandomSource = @Sendable (_ seed: UInt64, _ position: UInt64) -> UInt64

/// The numbers of the host's source from a position on.
struct SourcedRandom: RandomNumberGenerator {
  let source: RandomSource?
  let seed: UInt64
  var position: UInt64

  mutating func next() -> UInt64 {
    defer { position &+= 1 }
    return source?(seed, position) ?? 0
  }
}
