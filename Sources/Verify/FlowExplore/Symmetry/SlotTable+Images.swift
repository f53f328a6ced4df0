import FlowKernel
import LuaRuntime

/// The images of subjects and of their contents under the exchange of two values.
extension SlotTable {
  func image(
    of subject: Subject, by exchange: SymmetryExchange
  ) -> Subject {
    switch subject {
    case .place(let place): return .place(image(ofPlace: place, by: exchange))
    case .shape(let place): return .shape(image(ofPlace: place, by: exchange))
    case .part(.option(let gatekeeper, let option)):
      return .part(.option(gatekeeper: gatekeeper, option: exchange.image(ofText: option)))
    case .part: return subject
    }
  }

  func image(
    ofPlace place: PlaceTable.Number, by exchange: SymmetryExchange
  ) -> PlaceTable.Number {
    guard let (above, key) = places.step(to: place) else { return place }
    let moved = image(ofPlace: above, by: exchange)
    let isKey = alike.lists(ofKeysAt: above, places).contains(exchange.list)
    let number = places.number(of: isKey ? exchange.image(of: key) : key, in: moved)
    if places.isAlikeWithin(above) { places.holdsAlike(moved) }
    return number
  }

  /// Returns true if the content of a subject can have another image.
  func isChanged(_ subject: Subject) -> Bool {
    switch subject {
    case .place(let place): !alike.lists(ofValuesAt: place, places).isEmpty
    case .shape(let place): !alike.lists(ofKeysAt: place, places).isEmpty
    case .part(.option), .part(.time), .part(.timerOrder): false
    case .part: !alike.isEmpty
    }
  }

  func image(
    of content: Content, in subject: Subject, by exchange: SymmetryExchange
  ) throws(ExplorationError) -> Content {
    switch (subject, content) {
    case (.place(let place), .integer), (.place(let place), .text):
      guard alike.lists(ofValuesAt: place, places).contains(exchange.list) else { return content }
      return StateForm.content(of: exchange.image(of: StateForm.value(of: content)))
    case (.shape(let place), _):
      guard alike.lists(ofKeysAt: place, places).contains(exchange.list) else { return content }
      return try image(ofShape: content, at: place, by: exchange)
    case (.part, .part(let content)):
      return .part(content.exchanged(canonicalImage(by: exchange)))
    default: return content
    }
  }

  private func image(
    ofShape shape: Content, at place: PlaceTable.Number, by exchange: SymmetryExchange
  ) throws(ExplorationError) -> Content {
    switch shape {
    case .keyed(let kind, let keys, let tables):
      return StateForm.shape(
        kind, keys.map(exchange.image(of:)), tables: tables.map(exchange.image(of:)))
    case .list(let count, let tables) where count > 0:
      let values = [exchange.one, exchange.other].map { $0.integerValue ?? 1 }
      guard values.allSatisfy({ (1...count).contains($0) }) else {
        let list = alike.lists[exchange.list]
        throw ExplorationError(
          .setup,
          "\(list.place): alike \(list.name): the list \(places.path(of: place)) has \(count) elements, so "
            + "\(exchange.one) and \(exchange.other) cannot be exchanged in it: name the places of these values with at, "
            + "\(SymmetryTable.form(list.name))")
      }
      guard case .some(let indices) = tables else { return shape }
      let moved = indices.compactMap { exchange.image(of: .integer($0)).integerValue }
      return .list(count, tables: .some(moved.sorted()))
    default: return shape
    }
  }

  /// Returns the exchange for the parts of a state besides its tree.
  func canonicalImage(by exchange: SymmetryExchange) -> ExploredExchange {
    let fields = alike.lists[exchange.list].fields
    return ExploredExchange(
      payload: { exchange.image(ofPayload: $0, fields) },
      option: exchange.image(ofText:),
      keys: { [self] machine, keys in
        guard let path = records[machine] else { return keys }
        return image(ofKeys: keys, along: path, by: exchange)
      })
  }

  /// Returns the images of the keys of a record.
  ///
  /// - Parameter path: the keys that lead to the records, `*` for any key.
  private func image(
    ofKeys keys: [Value], along path: [String], by exchange: SymmetryExchange
  ) -> [Value] {
    var place = PlaceTable.root
    var images: [Value] = []
    for name in path + ["*"] {
      guard name == "*" else {
        place = places.number(of: .field(name), in: place)
        continue
      }
      guard images.count < keys.count, let key = StateForm.key(keys[images.count]) else {
        return keys
      }
      let isKey = alike.lists(ofKeysAt: place, places).contains(exchange.list)
      images.append(isKey ? exchange.image(of: key.value) : key.value)
      place = places.number(of: key, in: place)
    }
    return images
  }

  /// Returns the image of a state, or of the part of it at a place, as a value.
  func image(
    of value: Value, at place: PlaceTable.Number = PlaceTable.root, by exchange: SymmetryExchange
  ) -> Value {
    let areKeys = alike.lists(ofKeysAt: place, places).contains(exchange.list)
    func inside(_ key: StatePath.Key, _ element: Value) -> Value {
      image(of: element, at: places.number(of: key, in: place), by: exchange)
    }
    switch value {
    case .list(let elements):
      var images = elements.enumerated().map { inside(.index($0 + 1), $1) }
      if areKeys, let one = exchange.one.integerValue, let other = exchange.other.integerValue,
        images.indices.contains(one - 1), images.indices.contains(other - 1)
      {
        images.swapAt(one - 1, other - 1)
      }
      return .list(images)
    case .record(let fields):
      var images: [String: Value] = [:]
      for (name, element) in fields {
        let key = areKeys ? exchange.image(of: .field(name)) : .field(name)
        if case .field(let moved) = key { images[moved] = inside(.field(name), element) }
      }
      return .record(images)
    case .map(let entries):
      var images: [Int: Value] = [:]
      for (index, element) in entries {
        let key = areKeys ? exchange.image(of: .index(index)) : .index(index)
        if case .index(let moved) = key { images[moved] = inside(.index(index), element) }
      }
      return .map(images)
    default:
      let isHeld = alike.lists(ofValuesAt: place, places).contains(exchange.list)
      return isHeld ? exchange.image(of: value) : value
    }
  }
}
