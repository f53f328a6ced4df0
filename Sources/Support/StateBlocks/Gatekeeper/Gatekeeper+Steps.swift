// The steps of a gatekeeper of options, each on a set of options.

extension Gatekeeper where Value: SetAlgebra {
  @inlinable
  static func value(_ option: Value.Element) -> Value {
    var value = Value()
    value.insert(option)
    return value
  }

  /// Returns true if none of the options is held or latched.
  @inlinable
  func isFree(_ options: Value) -> Bool {
    for holder in held where !holder.options.isDisjoint(with: options) { return false }
    return true
  }

  /// Takes the options and returns the passage, or returns nil if one is not free.
  ///
  /// A passage of no options is not stored: it ends at once.
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
    throw refusal(options, unless: others)
      ?? PassageRefusal(option: name, isLatched: false, holder: name, since: nil)
  }

  /// Frees the options, and returns true if one of them was held or latched.
  ///
  /// Passages and latches keep their other options.
  @inlinable
  mutating func free(_ options: Value) -> Bool {
    var hasChanged = false
    var index = held.count
    while index > 0 {
      index -= 1
      if held[index].options.isDisjoint(with: options) { continue }
      hasChanged = true
      let rest = held[index].options.subtracting(options)
      if !rest.isEmpty {
        let holder = held[index]
        held[index] = Holder(
          options: rest, name: holder.name, revision: holder.revision, passage: holder.passage,
          isLatch: holder.isLatch)
      } else if index == held.count - 1 {
        held.removeLast()
      } else {
        held.remove(at: index)
      }
    }
    return hasChanged
  }

  func options(areLatched: Bool) -> Value {
    held.reduce(into: Value()) { if $1.isLatch == areLatched { $0.formUnion($1.options) } }
  }

  @discardableResult
  @usableFromInline
  mutating func addLatch(_ options: Value, by name: String, at revision: Int?) -> Bool {
    let new = options.subtracting(latchedOptions)
    if new.isEmpty { return false }
    held.append(
      Holder(
        options: new, name: name, revision: revision, passage: Passage.next(), isLatch: true))
    return true
  }

  /// Returns the reason why the options cannot be taken, or nil if they can.
  ///
  /// It names one of `options` rather than one of `others`, and a passage rather than a latch.
  @usableFromInline
  func refusal(_ options: Value, unless others: Value) -> PassageRefusal? {
    for asked in [options, others] {
      let closing = held.filter { !$0.options.isDisjoint(with: asked) }
      guard let holder = closing.first(where: { !$0.isLatch }) ?? closing.first else { continue }
      return PassageRefusal(
        option: holder.options.intersection(asked).firstOptionName, isLatched: holder.isLatch,
        holder: holder.name, since: holder.revision)
    }
    return nil
  }
}
