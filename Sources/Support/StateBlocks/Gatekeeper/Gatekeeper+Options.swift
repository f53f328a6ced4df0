extension Gatekeeper where Value: SetAlgebra {
  /// Makes a keeper of options, all of them free.
  ///
  /// This cannot fail.
  ///
  /// ```swift
  /// var stateGatekeeper = Gatekeeper<State>()
  /// ```
  public init(name: String = "gatekeeper") {
    self.init(called: name)
  }

  /// The options that are held by passages.
  public var heldOptions: Value { options(areLatched: false) }

  /// The options that are latched.
  public var latchedOptions: Value { options(areLatched: true) }

  /// Whether `option` and every one of `unless` is free now.
  ///
  /// It is advice only: use the answer of `attemptPassage`, which asks and takes in one step. An
  /// option of several bits is free when all of them are; an empty one always is.
  ///
  /// ```swift
  /// loadButton.isEnabled = stateGatekeeper.mayPass(for: .loading, unless: .loaded)
  /// ```
  @inlinable
  public func mayPass(for option: Value.Element, unless others: Value = []) -> Bool {
    isFree(Self.value(option)) && isFree(others)
  }

  /// Why one may not pass now, or nil.
  ///
  /// ```swift
  /// print(stateGatekeeper.refusal(for: .loading))  // "loading" is held by load()
  /// ```
  public func refusal(for option: Value.Element, unless others: Value = []) -> PassageRefusal? {
    refusal(Self.value(option), unless: others)
  }

  /// Takes an option if it and every one of `unless` is free, and says whether it did.
  ///
  /// Asking and taking are one step, and a refused attempt takes nothing. An option of several bits
  /// is taken whole or not at all.
  ///
  /// ```swift
  /// guard stateGatekeeper.attemptPassage(for: .loading, unless: .loaded) else { return }
  /// ```
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

  /// Ends a passage, and latches options in the same step if it was not over already.
  ///
  /// Returns false, and changes nothing, when it was over: what it held has been freed, and may be
  /// somebody else's by now. A passage of no options is over from the beginning.
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

  /// Takes an option, runs a closure and ends the passage, also when the closure throws.
  ///
  /// The closure is given the gatekeeper, because the one outside must not be touched meanwhile.
  /// Throws the `PassageRefusal`, with the closure not run, or what the closure throws.
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

  /// Latches an option: it stays closed until it is reset.
  ///
  /// Returns false when it was latched already.
  ///
  /// A passage that holds the option stays.
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

  /// Frees an option, whoever holds it, and takes its latch off.
  ///
  /// Returns whether it was closed.
  ///
  /// Of a passage that holds other options too, those stay held. Where a late call could free
  /// somebody else's passage, use `enter` and `end`.
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
