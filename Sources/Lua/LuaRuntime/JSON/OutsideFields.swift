/// The fields of an object from outside, each read with a check whose error names the field's path.
///
/// A null field counts as missing.
package struct OutsideFields {
  /// An error for a field whose value is not as required.
  package struct Malformed: Error, Hashable {
    /// The path from the outermost object.
    package let path: StatePath
    /// The reason, as a sentence.
    package let reason: String

    package init(path: StatePath = StatePath([]), reason: String) {
      (self.path, self.reason) = (path, reason)
    }
  }

  /// The object.
  package let value: Value
  private let path: StatePath

  package init(_ value: Value) { self.init(value, at: StatePath([])) }

  private init(_ value: Value, at path: StatePath) { (self.value, self.path) = (value, path) }

  /// The value of a field; nil if it is missing.
  package subscript(name: String) -> Value? {
    guard let value = value[name], !value.isNil else { return nil }
    return value
  }

  // MARK: Numbers

  /// Returns a whole number in a range; nil if the field is missing.
  package func integer(
    _ name: String, in range: ClosedRange<Int> = OutsideNumber.counts
  ) throws(Malformed) -> Int? {
    guard let value = self[name] else { return nil }
    guard let integer = OutsideNumber.integer(value, in: range) else {
      throw mistake(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// Returns a whole number in a range; throws if the field is missing.
  package func required(
    _ name: String, in range: ClosedRange<Int> = OutsideNumber.counts
  ) throws(Malformed) -> Int {
    guard let integer = try integer(name, in: range) else {
      throw mistake(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// Returns a seed, which is written as a text because few JSON readers can read integers of that size.
  package func seed(_ name: String) throws(Malformed) -> UInt64? {
    guard let value = self[name] else { return nil }
    guard let seed = value.stringValue.flatMap({ UInt64($0) }) else {
      throw mistake(name, "a whole number from 0 to \(UInt64.max) in quotes")
    }
    return seed
  }

  // MARK: Others

  package func text(_ name: String) throws(Malformed) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.stringValue else { throw mistake(name, "a string") }
    return text
  }

  /// Returns one of several words; nil if the field is missing.
  package func word<Word: RawRepresentable<String>>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(Malformed) -> Word? {
    guard let text = try text(name) else { return nil }
    guard let word = Word(rawValue: text) else { throw mistake(name, "a known word") }
    return word
  }

  package func flag(_ name: String) throws(Malformed) -> Bool {
    switch self[name] {
    case nil: return false
    case .boolean(let flag)?: return flag
    default: throw mistake(name, "true or false")
    }
  }

  package func texts(_ name: String) throws(Malformed) -> [String] {
    try elements(name).map { (element) throws(Malformed) in
      guard let text = element.value.stringValue else {
        throw Malformed(path: element.path, reason: "\(name) takes a list of strings")
      }
      return text
    }
  }

  /// Returns the objects of a list; empty if the field is missing.
  package func objects(_ name: String) throws(Malformed) -> [OutsideFields] {
    try elements(name).map { (element) throws(Malformed) in
      guard element.value.recordValue != nil else {
        throw Malformed(path: element.path, reason: "\(name) takes a list of objects")
      }
      return element
    }
  }

  package func object(_ name: String) throws(Malformed) -> OutsideFields? {
    guard let value = self[name] else { return nil }
    guard value.recordValue != nil else { throw mistake(name, "an object") }
    return OutsideFields(value, at: path.appending(.field(name)))
  }

  private func elements(_ name: String) throws(Malformed) -> [OutsideFields] {
    guard let value = self[name] else { return [] }
    guard let elements = value.listValue else { throw mistake(name, "a list") }
    let list = path.appending(.field(name))
    return elements.enumerated().map { OutsideFields($1, at: list.appending(.index($0 + 1))) }
  }

  /// Returns the error for a field that should hold `wanted`.
  package func mistake(_ name: String, _ wanted: String) -> Malformed {
    Malformed(
      path: path.appending(.field(name)),
      reason: "\(name) takes \(wanted), not \(self[name]?.text(limit: 60) ?? "nothing")")
  }

  /// Returns an error for the object as a whole.
  package func malformed(_ reason: String) -> Malformed { Malformed(path: path, reason: reason) }
}
