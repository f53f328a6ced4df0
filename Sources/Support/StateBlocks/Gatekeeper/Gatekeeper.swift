/// A record of who has passed: a yes/no gatekeeper, or a gatekeeper of a set of options.
///
/// `Gatekeeper<Bool>` lets one caller pass until it is reset. `Gatekeeper<Options>`, with an `OptionSet` or a `Set`,
/// does so for each option. A passage (`loading`) belongs to the caller that took it, which ends it; a latch (`loaded`)
/// has no owner and stays until it is reset. Both close an option.
///
/// ```swift
/// var gatekeeper = Gatekeeper<Set<String>>()
/// let passage = try gatekeeper.enter("loading", unless: ["loaded"], by: "load()", at: 41)
/// print(gatekeeper.refusal(for: "loading"))  // "loading" is held by load() since revision 41
/// gatekeeper.end(passage, latching: ["loaded"])
/// ```
///
/// A gatekeeper is a value: a copy is another gatekeeper, which knows the passages held at the time of the copy and is
/// independent afterwards. To share one among threads, put it into an agent: `Agent<Gatekeeper>` has the same functions
/// and is safe for any number of threads.
///
/// After the posts "Use a Gatekeeper to manage control flow" and "Streamlining State Management:
/// Mutex".
public struct Gatekeeper<Value> {
  /// A passage or latch: its options, its holder and the revision at which they were taken.
  public struct Holder {
    /// The options.
    ///
    /// `true` for a yes/no gatekeeper.
    public let options: Value
    /// True if this is a latch, which belongs to no passage.
    @usableFromInline let isLatch: Bool
    /// The name that the holder gave, by default the name of its function.
    public let name: String
    /// The revision at which they were taken, if it was given.
    public let revision: Int?
    /// The passage to end.
    public let passage: Passage

    @inlinable
    init(
      options: Value, name: String, revision: Int?, passage: Passage, isLatch: Bool = false
    ) {
      self.options = options
      self.name = name
      self.revision = revision
      self.passage = passage
      self.isLatch = isLatch
    }
  }

  /// The gatekeeper's name in refusals, and the only option of a yes/no gatekeeper.
  public let name: String

  /// The holders of passages, the earliest first.
  public var holders: [Holder] { held.filter { !$0.isLatch } }

  /// The passages and latches that close options, the earliest first.
  @usableFromInline var held: [Holder] = []

  init(called name: String) {
    self.name = name
  }

  /// Returns true if a passage has not ended yet.
  func isHeld(by passage: Passage) -> Bool { held.contains { $0.passage == passage } }

  /// Ends a passage, which frees its options.
  ///
  /// Returns false if it had ended before.
  @inlinable
  mutating func remove(_ passage: Passage) -> Bool {
    guard let index = held.firstIndex(where: { $0.passage == passage }) else { return false }
    held.remove(at: index)
    return true
  }
}

extension Gatekeeper.Holder: Sendable where Value: Sendable {}
extension Gatekeeper.Holder: Equatable where Value: Equatable {}
extension Gatekeeper: Sendable where Value: Sendable {}
extension Gatekeeper: Equatable where Value: Equatable {}
