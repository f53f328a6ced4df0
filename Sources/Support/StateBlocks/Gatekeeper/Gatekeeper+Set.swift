extension Gatekeeper where Value: SetAlgebra & Collection {
  /// Whether every one of `options` and of `unless` is free now.
  ///
  /// Advice only, as for one option.
  ///
  /// ```swift
  /// gatekeeper.mayPass(for: ["camera", "microphone"])
  /// ```
  public func mayPass(for options: Value, unless others: Value = []) -> Bool {
    isFree(options) && isFree(others)
  }

  /// Why one may not pass now, or nil.
  public func refusal(for options: Value, unless others: Value = []) -> PassageRefusal? {
    refusal(options, unless: others)
  }

  /// Takes all of `options`, or none when one of them or of `unless` is not free, and says whether
  /// it did.
  ///
  /// ```swift
  /// guard gatekeeper.attemptPassage(for: ["camera", "microphone"]) else { return }
  /// ```
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

  /// Frees every one of `options`, as for one option.
  ///
  /// Returns whether one was closed.
  @discardableResult
  public mutating func reset(for options: Value) -> Bool { free(options) }
}
