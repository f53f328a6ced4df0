import LuaRuntime

/// Encodes an Encodable value as a plain value: a payload, or the result of a capability.
///
/// Integers stay integers and doubles numbers; nil is omitted from a record.
package enum ValueEncoder {
  package static func encode(_ value: some Encodable) throws -> Value {
    if let plain = EncodedKind.plain(value) { return plain }
    let place = EncodingPlace(kinds: EncodedKinds(), parent: nil, step: .index(0))
    try place.write(value)
    return place.take()
  }
}

/// A value that is being encoded, and the encoder into which a type encodes it.
///
/// An encoded part is taken out as a plain value at once, and its place is used again for the next part. A place that
/// something still refers to (a nested container, an encoder of `super`) stays open, and is read together with the
/// whole.
package final class EncodingPlace: Encoder {
  private enum Content { case single, list, record }

  private var content = Content.single
  private var single = Value.nil
  private var elements: [Value] = []
  private var fields: [String: Value] = [:]
  /// The latest part that may still be written to; `elements` and `fields` do not contain its value yet.
  private var latestElement: (index: Int, place: EncodingPlace)?
  private var latestField: (name: String, place: EncodingPlace)?
  /// The parts before it that are still referred to.
  private var openElements: [(index: Int, place: EncodingPlace)] = []
  private var openFields: [String: EncodingPlace] = [:]

  private let kinds: EncodedKinds
  private var latest: (type: ObjectIdentifier, kind: EncodedKind)?
  private var parent: EncodingPlace?
  private var step: CodingStep
  /// A place for the next part, which has no parent meanwhile, so that there is no reference cycle.
  private var spare: EncodingPlace?
  /// The expected number of fields, from the record that was encoded here before.
  private var expected = 0

  init(kinds: EncodedKinds, parent: EncodingPlace?, step: CodingStep) {
    (self.kinds, self.parent, self.step) = (kinds, parent, step)
  }

  // MARK: Encoder

  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  package var codingPath: [any CodingKey] {
    var path: [any CodingKey] = []
    var place = self
    while let parent = place.parent {
      path.append(place.step.key)
      place = parent
    }
    path.reverse()
    return path
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    beginRecord()
    return KeyedEncodingContainer(RecordEncoder(place: self))
  }

  package func unkeyedContainer() -> any UnkeyedEncodingContainer {
    beginList()
    return ListEncoder(place: self)
  }

  package func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoder(place: self)
  }

  // MARK: The whole

  package func set(_ value: Value) {
    if content != .single { clear() }
    single = value
  }

  /// Sets the value of a new place to an encoded part.
  package func write<Part: Encodable>(_ part: Part) throws {
    do {
      try put(part)
    } catch {
      clear()
      throw error
    }
  }

  /// Sets the value to an encoded part.
  package func put<Part: Encodable>(_ part: Part) throws {
    switch kind(of: Part.self) {
    case .plain:
      if let plain = EncodedKind.plain(part) { set(plain) }
    case .convertible:
      if let plain = part as? any ValueConvertible { set(plain.value) }
    case .entries:
      // An optional dictionary that is nil has no entries.
      guard let dictionary = part as? any DictionaryEncodable else { fallthrough }
      try dictionary.encodeEntries(to: self)
    case .coded:
      try part.encode(to: self)
    }
  }

  /// Returns the plain value, and resets the place.
  package func take() -> Value {
    defer { clear() }
    switch content {
    case .single: return single
    case .list:
      settleElement()
      for (index, place) in openElements { elements[index] = place.take() }
      return .list(elements)
    case .record:
      settleField()
      for (name, place) in openFields { fields[name] = place.take().unlessNil }
      return .record(fields)
    }
  }

  private func clear() {
    switch content {
    case .single: single = .nil
    case .list: elements = []
    case .record:
      // At most 16, so that one long record does not make all later ones reserve as much.
      expected = min(fields.count, 16)
      fields = [:]
    }
    content = .single
    if latestElement != nil || latestField != nil || !openElements.isEmpty || !openFields.isEmpty {
      close()
    }
  }

  /// Releases the open parts, which refer to this place.
  private func close() {
    let places =
      openElements.map(\.place) + openFields.values
      + [latestElement?.place, latestField?.place].compactMap(\.self)
    (latestElement, latestField, openElements, openFields) = (nil, nil, [], [:])
    for place in places { place.clear() }
  }

  private func kind<Part: Encodable>(of type: Part.Type) -> EncodedKind {
    let identifier = ObjectIdentifier(type)
    if let latest, latest.type == identifier { return latest.kind }
    let kind = kinds.kind(of: type)
    latest = (identifier, kind)
    return kind
  }

  // MARK: Fields

  package func beginRecord() {
    if content == .record { return }
    clear()
    content = .record
    if expected > 0 { fields = Dictionary(minimumCapacity: expected) }
  }

  package func set(_ value: Value, for name: String) {
    guard content == .record else { return }
    settleField()
    fields[name] = value.unlessNil
    if !openFields.isEmpty { openFields[name] = nil }
  }

  func encodeField<Part: Encodable>(
    _ part: Part, _ name: String, at step: @autoclosure () -> CodingStep
  ) throws {
    if let plain = EncodedKind.plain(part) { return set(plain, for: name) }
    var place = below(at: step())
    try place.write(part)
    if isKnownUniquelyReferenced(&place) {
      set(finish(place), for: name)
    } else if content == .record {
      open(place, name)
    }
  }

  /// Returns the place of a field that is written later.
  func field(_ name: String, at step: CodingStep) -> EncodingPlace {
    let place = below(at: step)
    if content == .record { open(place, name) }
    return place
  }

  private func open(_ place: EncodingPlace, _ name: String) {
    set(.nil, for: name)
    latestField = (name, place)
  }

  /// Takes out the latest open part, or keeps it open if something still refers to it.
  private func settleField() {
    guard case .some((let name, var place)) = latestField else { return }
    latestField = nil
    if isKnownUniquelyReferenced(&place) {
      fields[name] = finish(place).unlessNil
    } else {
      openFields[name] = place
    }
  }

  // MARK: Elements

  package func beginList() {
    if content == .list { return }
    clear()
    content = .list
  }

  package var count: Int { elements.count }

  package func append(_ value: Value) {
    if content == .list { elements.append(value) }
  }

  func encodeElement<Part: Encodable>(_ part: Part) throws {
    if let plain = EncodedKind.plain(part) { return append(plain) }
    var place = below(at: .index(count))
    try place.write(part)
    if isKnownUniquelyReferenced(&place) {
      append(finish(place))
    } else if content == .list {
      open(place)
    }
  }

  /// Returns the place of an element that is written later.
  package func element() -> EncodingPlace {
    let place = below(at: .index(count))
    if content == .list { open(place) }
    return place
  }

  private func open(_ place: EncodingPlace) {
    settleElement()
    latestElement = (elements.count, place)
    elements.append(.nil)
  }

  private func settleElement() {
    guard case .some((let index, var place)) = latestElement else { return }
    latestElement = nil
    if isKnownUniquelyReferenced(&place) {
      elements[index] = finish(place)
    } else {
      openElements.append((index, place))
    }
  }

  // MARK: Entries

  /// Sets the value to a map.
  func setMap<Part: Encodable>(_ entries: [Int: Part]) throws {
    var map = [Int: Value](minimumCapacity: entries.count)
    for (key, entry) in entries {
      var place = below(at: .index(key))
      try place.write(entry)
      // Later writes into this place are lost without notice.
      map[key] = (isKnownUniquelyReferenced(&place) ? finish(place) : place.take()).unlessNil
    }
    set(.map(map))
  }

  // MARK: Parts

  private func below(at step: CodingStep) -> EncodingPlace {
    guard let place = spare else { return EncodingPlace(kinds: kinds, parent: self, step: step) }
    spare = nil
    place.parent = self
    place.step = step
    return place
  }

  private func finish(_ place: EncodingPlace) -> Value {
    place.parent = nil
    spare = place
    return place.take()
  }
}

extension Value {
  fileprivate var unlessNil: Value? {
    if case .nil = self { return nil }
    return self
  }
}
