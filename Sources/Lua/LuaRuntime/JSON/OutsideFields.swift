/// An object from outside, field by field: each is what it has to be, or a refusal that says where.
///
/// What is null counts as missing.
package struct OutsideFields {
  /// A field that is not what it has to be.
  package struct Malformed: Error, Hashable {
    /// From the object that was read as a whole.
    package let path: StatePath
    /// A sentence.
    package let reason: String

    package init(path: StatePath = StatePath([]), reason: String) {
      (self.path, self.reason) = (path, reason)
    }
  }

  /// What was read.
  package let value: Value
  private let path: StatePath

  package init(_ value: Value) { self.init(value, at: StatePath([])) }

  private init(_ value: Value, at path: StatePath) { (self.value, self.path) = (value, path) }

  /// What a field holds, if it is there at all.
  package subscript(name: String) -> Value? {
    guard let value = value[name], !value.isNil else { return nil }
    return value
  }

  // MARK: Numbers

  /// A whole number within a range; nil where there is none.
  package func integer(
    _ name: String, in range: ClosedRange<Int> = OutsideNumber.counts
  ) throws(Malformed) -> Int? {
    guard let value = self[name] else { return nil }
    guard let integer = OutsideNumber.integer(value, in: range) else {
      throw mistake(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// The same where it must be there.
  package func required(
    _ name: String, in range: ClosedRange<Int> = OutsideNumber.counts
  ) throws(Malformed) -> Int {
    guard let integer = try integer(name, in: range) else {
      throw mistake(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// A seed, which is written as a text: few readers of JSON know numbers of so many digits.
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
    guard let text = value.stringValue else { throw mistake(name, "a text") }
    return text
  }

  /// One of several words; nil where there is none.
  package func word<Word: RawRepresentable<String>>(
    _ name: String, _ type: Word.Type = Word.self
  ) throws(Malformed) -> Word? {
    guard let text = try text(name) else { return nil }
    guard let word = Word(rawValue: text) else { throw mistake(name, "another word") }
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
        throw Malformed(path: element.path, reason: "\(name) takes a list of texts")
      }
      return text
    }
  }

  /// The objects of a list; none where there is no list.
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

  /// What is wrong with a field.
  package func mistake(_ name: String, _ wanted: String) -> Malformed {
    Malformed(
      path: path.appending(.field(name)),
      reason: "\(name) takes \(wanted), not \(self[name]?.text(limit: 60) ?? "nothing")")
  }

  /// What is wrong with the object as a whole.
  package func malformed(_ reason: String) -> Malformed { Malformed(path: path, reason: reason) }
}
