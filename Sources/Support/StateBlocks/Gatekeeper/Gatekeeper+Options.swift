extension Gatekeeper where Value: SetAlgebra {
  /// Makes a gatekeeper of options, all of them free.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// var stateGatekeeper = Gatekeeper<State>()
  /// ```
  public init(name: String = "gatekeeper") {
    self.init(called: name)
  }

  /// The options that passages hold.
  public var heldOptions: Value { options(areLatched: false) }

  /// The options that are latched.
  public var latchedOptions: Value { options(areLatched: true) }

  /// Returns true if `option` and all options of `unless` are free now.
  ///
  /// It is advice only: use the result of `attemptPassage`, which checks and takes in one step. An option of several
  /// bits is free if all of them are; an empty one is always free.
  ///
  /// ```swift
  /// loadButton.isEnabled = stateGatekeeper.mayPass(for: .loading, unless: .loaded)
  /// ```
  @inlinable
  public func mayPass(for option: Value.Element, unless others: Value = []) -> Bool {
    isFree(Self.value(option)) && isFree(others)
  }

  /// Returns the reason why the option cannot be taken now, or nil if it can.
  ///
  /// ```swift
  /// print(stateGatekeeper.refusal(for: .loading))  // "loading" is held by load()
  /// ```
  public func refusal(for option: Value.Element, unless others: Value = []) -> PassageRefusal? {
    refusal(Self.value(option), unless: others)
  }

  /// Takes an option if it and all options of `unless` are free, and returns true if it did.
  ///
  /// The check and the taking are one step, and a refused attempt takes nothing. An option of several bits is taken
  /// whole or not at all.
  ///
  /// ```swift
  /// guard stateGatekeeper.attemptPassage(for: .loading, unless: .loaded) else { return }
  /// ```
  @discardableResult
  @inlinable
  public mutating func attemptPassage(
    for option: Value.Element, unless others: Value = [], by name: String = #function,
    at revision: Int? = nil
  ) -> Bool {
    attempt(Self.value(option), unless: others, by: name, at: revision) != nil
  }

  /// Takes an option and returns the passage, or throws the `PassageRefusal` and takes nothing.
  ///
  /// ```swift
  /// let passage = try stateGatekeeper.enter(.loading, unless: .loaded)
  /// ```
  @inlinable
  public mutating func enter(
    _ option: Value.Element, unless others: Value = [], by name: String = #function,
    at revision: Int? = nil
  ) throws(PassageRefusal) -> Passage {
    try take(Self.value(option), unless: others, by: name, at: revision)
  }

  /// Ends a passage, and latches options in the same step if the passage had not ended before.
  ///
  /// Returns false and changes nothing if the passage had ended: its options were freed, and may be held by somebody
  /// else by now. A passage of no options ends at once.
  ///
  /// ```swift
  /// stateGatekeeper.end(passage, latching: .loaded)
  /// ```
  @discardableResult
  @inlinable
  public mutating func end(
    _ passage: Passage, latching options: Value = [], by name: String = #function,
    at revision: Int? = nil
  ) -> Bool {
    guard remove(passage) else { return false }
    addLatch(options, by: name, at: revision)
    return true
  }

  /// Takes an option, runs a closure and ends the passage, even if the closure throws.
  ///
  /// The closure receives the gatekeeper, because the original must not be accessed meanwhile. Throws the
  /// `PassageRefusal` without running the closure, or the closure's error.
  ///
  /// ```swift
  /// try stateGatekeeper.withPassage(for: .loading, unless: .loaded) { gatekeeper in
  ///   try model.load()
  ///   gatekeeper.latch(.loaded)
  /// }
  /// ```
  public mutating func withPassage<Result>(
    for option: Value.Element, unless others: Value = [], by name: String = #function,
    at revision: Int? = nil, _ body: (inout Self) throws -> Result
  ) throws -> Result {
    let passage = try enter(option, unless: others, by: name, at: revision)
    defer { end(passage) }
    return try body(&self)
  }

  /// Latches an option, which then stays closed until it is reset.
  ///
  /// Returns false if it was latched before.
  ///
  /// A passage that holds the option keeps it.
  ///
  /// ```swift
  /// stateGatekeeper.latch(.loaded)
  /// ```
  @discardableResult
  public mutating func latch(
    _ option: Value.Element, by name: String = #function, at revision: Int? = nil
  ) -> Bool {
    addLatch(Self.value(option), by: name, at: revision)
  }

  /// Frees an option, no matter who holds it, and removes its latch.
  ///
  /// Returns true if it was held or latched.
  ///
  /// A passage that also holds other options keeps those. Use `enter` and `end` if a late call could free somebody
  /// else's passage.
  ///
  /// ```swift
  /// stateGatekeeper.reset(for: .loading)
  /// ```
  @discardableResult
  @inlinable
  public mutating func reset(for option: Value.Element) -> Bool {
    free(Self.value(option))
  }
}
