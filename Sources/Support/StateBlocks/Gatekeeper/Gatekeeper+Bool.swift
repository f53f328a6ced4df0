extension Gatekeeper where Value == Bool {
  /// Makes a yes/no keeper that lets the next one pass.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// var loadingGatekeeper = Gatekeeper()
  /// ```
  public init(name: String = "passage") {
    self.init(called: name)
  }

  /// Whether one may pass now.
  ///
  /// It is advice only: use the answer of `attemptPassage`.
  @inlinable
  public var mayPass: Bool { held.isEmpty }

  /// Who has passed, or nil.
  public var holder: Holder? { held.first }

  /// Why one may not pass now, or nil.
  public var refusal: PassageRefusal? {
    held.first.map {
      PassageRefusal(option: name, isLatched: false, holder: $0.name, since: $0.revision)
    }
  }

  /// Passes if one may, and says whether it did.
  ///
  /// A refused attempt changes nothing.
  ///
  /// ```swift
  /// guard loadingGatekeeper.attemptPassage() else { return }
  /// ```
  @inlinable
  public mutating func attemptPassage(
    by name: String = #function, at revision: Int? = nil
  ) -> Bool {
    guard mayPass else { return false }
    pass(Passage.next(), by: name, at: revision)
    return true
  }

  /// Lets a passage through that may pass.
  @inlinable
  mutating func pass(_ passage: Passage, by name: String, at revision: Int?) {
    held.append(Holder(options: true, name: name, revision: revision, passage: passage))
  }

  /// Passes and returns the passage, or throws the `PassageRefusal` and changes nothing.
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
  /// Returns false, and changes nothing, when it was over already.
  ///
  /// ```swift
  /// loadingGatekeeper.end(passage)
  /// ```
  @discardableResult
  @inlinable
  public mutating func end(_ passage: Passage) -> Bool { remove(passage) }

  /// Passes, runs a closure and ends the passage, also when the closure throws.
  ///
  /// The closure is given the gatekeeper, because the one outside must not be touched meanwhile.
  /// Throws the `PassageRefusal`, with the closure not run, or what the closure throws.
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

  /// Lets the next one pass, whoever has passed before.
  ///
  /// Returns whether somebody had.
  ///
  /// Where a late call could free somebody else's passage, use `enter` and `end`.
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
