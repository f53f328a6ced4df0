/// Gives the number at a position, counted from 0, of the sequence that belongs to a seed.
///
/// A pure function: a transition that is taken back puts back the position, and the same number is
/// asked for again.
public typealias RandomSource = @Sendable (_ seed: UInt64, _ position: UInt64) -> UInt64

/// What the host's source gives from a position on.
struct SourcedRandom: RandomNumberGenerator {
  let source: RandomSource?
  let seed: UInt64
  var position: UInt64

  mutating func next() -> UInt64 {
    defer { position &+= 1 }
    return source?(seed, position) ?? 0
  }
}
