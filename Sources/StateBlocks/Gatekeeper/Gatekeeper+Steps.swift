// The steps that the keeper of options is made of, each on a set of options.

extension Gatekeeper where Value: SetAlgebra {
  @inlinable
  static func value(_ option: Value.Element) -> Value {
    var value = Value()
    value.insert(option)
    return value
  }

  /// Whether no option is held or latched.
  @inlinable
  func isFree(_ options: Value) -> Bool {
    for holder in held where !holder.options.isDisjoint(with: options) { return false }
    for latch in latches where !latch.options.isDisjoint(with: options) { return false }
    return true
  }

  /// Takes the options, or returns nil.
  ///
  /// A passage of no options is not kept: it is over at once.
  @inlinable
  mutating func attempt(
    _ options: Value, unless others: Value, by name: String, at revision: Int?
  ) -> Passage? {
    guard isFree(options), isFree(others) else { return nil }
    let passage = Passage.next()
    if !options.isEmpty {
      held.append(Holder(options: options, name: name, revision: revision, passage: passage))
    }
    return passage
  }

  @inlinable
  mutating func take(
    _ options: Value, unless others: Value, by name: String, at revision: Int?
  ) throws(PassageRefusal) -> Passage {
    if let passage = attempt(options, unless: others, by: name, at: revision) { return passage }
    throw refused(options, unless: others)
  }

  /// Frees the options.
  ///
  /// Passages and latches keep the rest of theirs.
  @inlinable
  mutating func free(_ options: Value) -> Bool {
    let wasHeld = Self.subtract(options, from: &held)
    return (latches.isEmpty ? false : Self.subtract(options, from: &latches)) || wasHeld
  }

  @inlinable
  static func subtract(_ options: Value, from holders: inout [Holder]) -> Bool {
    var hasChanged = false
    var index = holders.count
    while index > 0 {
      index -= 1
      if holders[index].options.isDisjoint(with: options) { continue }
      hasChanged = true
      let rest = holders[index].options.subtracting(options)
      if !rest.isEmpty {
        let holder = holders[index]
        holders[index] = Holder(
          options: rest, name: holder.name, revision: holder.revision, passage: holder.passage)
      } else if index == holders.count - 1 {
        holders.removeLast()
      } else {
        holders.remove(at: index)
      }
    }
    return hasChanged
  }

  @discardableResult
  @usableFromInline
  mutating func addLatch(_ options: Value, by name: String, at revision: Int?) -> Bool {
    let new = options.subtracting(latchedOptions)
    if new.isEmpty { return false }
    latches.append(
      Holder(options: new, name: name, revision: revision, passage: Passage.next()))
    return true
  }

  /// Why the options cannot be taken, or nil: the asked ones first, then the conditions.
  func refusal(_ options: Value, unless others: Value) -> PassageRefusal? {
    for asked in [options, others] {
      for (isLatched, holders) in [(false, held), (true, latches)] {
        guard let holder = holders.first(where: { !$0.options.isDisjoint(with: asked) }) else {
          continue
        }
        return PassageRefusal(
          option: holder.options.intersection(asked).firstOptionName, isLatched: isLatched,
          holder: holder.name, since: holder.revision)
      }
    }
    return nil
  }

  /// The refusal of an attempt that has just failed.
  @usableFromInline
  func refused(_ options: Value, unless others: Value) -> PassageRefusal {
    refusal(options, unless: others)
      ?? PassageRefusal(option: name, isLatched: false, holder: name, since: nil)
  }
}
