/// Remembers who has passed: a yes/no keeper or a set of options.
///
/// `Gatekeeper<Bool>` lets one pass until it is reset. `Gatekeeper<Options>`, with an `OptionSet`
/// or a `Set`, does so for each option. A passage (`loading`) belongs to whoever took it and ends;
/// a latch (`loaded`) belongs to nobody and stays until it is reset. Both close an option.
///
/// ```swift
/// var gatekeeper = Gatekeeper<Set<String>>()
/// let passage = try gatekeeper.enter("loading", unless: ["loaded"], by: "load()", at: 41)
/// print(gatekeeper.refusal(for: "loading"))  // "loading" is held by load() since revision 41
/// gatekeeper.end(passage, latching: ["loaded"])
/// ```
///
/// A gatekeeper is a value: a copy is another gatekeeper, which knows the passages that were held
/// when it was copied and goes its own way. Where several must share one, put it into an agent:
/// `Agent<Gatekeeper>` has the same words and is safe for any number of threads.
///
/// After the posts "Use a Gatekeeper to manage control flow" and "Streamlining State Management:
/// Mutex".
public struct Gatekeeper<Value> {
  /// Who holds which options, since when.
  public struct Holder {
    /// The options.
    ///
    /// A yes/no keeper's is `true`.
    public let options: Value
    /// Whether this is a latch, which is nobody's passage.
    @usableFromInline let isLatch: Bool
    /// Who took them, as it was said there: the name of the function, if nothing else was.
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

  /// What refusals call the keeper, and a yes/no keeper's only option.
  public let name: String

  /// Who holds a passage, the earliest first.
  public var holders: [Holder] { held.filter { !$0.isLatch } }

  /// Whose passages and latches close options, the earliest first.
  @usableFromInline var held: [Holder] = []

  init(called name: String) {
    self.name = name
  }

  /// Whether a passage is not over yet.
  func isHeld(by passage: Passage) -> Bool { held.contains { $0.passage == passage } }

  /// Ends a passage: what it still holds is free.
  ///
  /// Returns false when it was over already.
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
