extension Gatekeeper where Value: SetAlgebra & Collection {
  /// Returns true if all of `options` and of `unless` are free now.
  ///
  /// It is advice only: use the result of `attemptPassage`.
  ///
  /// ```swift
  /// gatekeeper.mayPass(for: ["camera", "microphone"])
  /// ```
  public func mayPass(for options: Value, unless others: Value = []) -> Bool {
    isFree(options) && isFree(others)
  }

  /// Returns the reason why the options cannot be taken now, or nil if they can.
  public func refusal(for options: Value, unless others: Value = []) -> PassageRefusal? {
    refusal(options, unless: others)
  }

  /// Takes all of `options` if they and all of `unless` are free, and returns true if it did.
  ///
  /// A refused attempt takes nothing.
  ///
  /// ```swift
  /// guard gatekeeper.attemptPassage(for: ["camera", "microphone"]) else { return }
  /// ```
  @discardableResult
  public mutating func attemptPassage(
    for options: Value, unless others: Value = [], by name: String = #function,
    at revision: Int? = nil
  ) -> Bool {
    attempt(options, unless: others, by: name, at: revision) != nil
  }

  /// Takes all of `options` and returns the passage, or throws the `PassageRefusal` and takes none.
  ///
  /// ```swift
  /// let call = try gatekeeper.enter(["camera", "microphone"], unless: ["muted"])
  /// ```
  public mutating func enter(
    _ options: Value, unless others: Value = [], by name: String = #function,
    at revision: Int? = nil
  ) throws(PassageRefusal) -> Passage {
    try take(options, unless: others, by: name, at: revision)
  }

  /// Frees all of `options`, no matter who holds them, and removes their latches.
  ///
  /// Returns true if one of them was held or latched.
  @discardableResult
  public mutating func reset(for options: Value) -> Bool { free(options) }
}
