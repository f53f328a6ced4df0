extension Gatekeeper where Value == Bool {
  /// Makes a yes/no gatekeeper that is free.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// var loadingGatekeeper = Gatekeeper()
  /// ```
  public init(name: String = "passage") {
    self.init(called: name)
  }

  /// True if the gatekeeper is free now.
  ///
  /// It is advice only: use the result of `attemptPassage`.
  @inlinable
  public var mayPass: Bool { held.isEmpty }

  /// The holder of the passage, or nil if the gatekeeper is free.
  public var holder: Holder? { held.first }

  /// The reason why nobody can enter now, or nil if the gatekeeper is free.
  public var refusal: PassageRefusal? {
    held.first.map {
      PassageRefusal(option: name, isLatched: false, holder: $0.name, since: $0.revision)
    }
  }

  /// Enters if the gatekeeper is free, and returns true if it did.
  ///
  /// A refused attempt changes nothing.
  ///
  /// ```swift
  /// guard loadingGatekeeper.attemptPassage() else { return }
  /// ```
  @discardableResult
  @inlinable
  public mutating func attemptPassage(
    by name: String = #function, at revision: Int? = nil
  ) -> Bool {
    guard mayPass else { return false }
    pass(Passage.next(), by: name, at: revision)
    return true
  }

  /// Records a passage; the gatekeeper must be free.
  @inlinable
  mutating func pass(_ passage: Passage, by name: String, at revision: Int?) {
    held.append(Holder(options: true, name: name, revision: revision, passage: passage))
  }

  /// Enters and returns the passage, or throws the `PassageRefusal` and changes nothing.
  ///
  /// ```swift
  /// let passage = try loadingGatekeeper.enter(by: "load()")
  /// ```
  @inlinable
  public mutating func enter(
    by name: String = #function, at revision: Int? = nil
  ) throws(PassageRefusal) -> Passage {
    if let refusal { throw refusal }
    let passage = Passage.next()
    pass(passage, by: name, at: revision)
    return passage
  }

  /// Ends a passage.
  ///
  /// Returns false and changes nothing if it had ended before.
  ///
  /// ```swift
  /// loadingGatekeeper.end(passage)
  /// ```
  @discardableResult
  @inlinable
  public mutating func end(_ passage: Passage) -> Bool { remove(passage) }

  /// Enters, runs a closure and ends the passage, even if the closure throws.
  ///
  /// The closure receives the gatekeeper, because the original must not be accessed meanwhile. Throws the
  /// `PassageRefusal` without running the closure, or the closure's error.
  ///
  /// ```swift
  /// try loadingGatekeeper.withPassage { _ in try model.load() }
  /// ```
  public mutating func withPassage<Result>(
    by name: String = #function, at revision: Int? = nil, _ body: (inout Self) throws -> Result
  ) throws -> Result {
    let passage = try enter(by: name, at: revision)
    defer { end(passage) }
    return try body(&self)
  }

  /// Frees the gatekeeper, no matter who holds its passage.
  ///
  /// Returns true if a passage was held.
  ///
  /// Use `enter` and `end` if a late call could free somebody else's passage.
  ///
  /// ```swift
  /// loadingGatekeeper.reset()
  /// ```
  @discardableResult
  @inlinable
  public mutating func reset() -> Bool {
    if held.isEmpty { return false }
    held.removeLast()
    return true
  }
}
