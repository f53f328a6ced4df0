import LuaRuntime

/// Finds pending actions by their names and by fields of their payloads.
///
/// It has the actions of each name. It has their values in a field once the field was asked for, so that other fields
/// cost nothing.
struct ActionIndex: Sendable {
  /// The numbers of the actions of one name, by their values in a field.
  private struct Field: Sendable {
    let name: String
    var numbers: [Value: Set<Int>] = [:]

    mutating func insert(_ number: Int, _ payload: Value) {
      if let key = key(of: payload) { numbers[key, default: []].insert(number) }
    }

    mutating func remove(_ number: Int, _ payload: Value) {
      guard let key = key(of: payload) else { return }
      numbers[key]?.remove(number)
      if numbers[key]?.isEmpty == true { numbers[key] = nil }
    }

    private func key(of payload: Value) -> Value? {
      guard case .record(let fields) = payload, let value = fields[name] else { return nil }
      return ActionIndex.key(of: value)
    }
  }

  /// The actions of one name.
  private struct Named: Sendable {
    var numbers: Set<Int> = []
    /// The fields that were asked for.
    var fields: [Field] = []

    mutating func insert(_ number: Int, _ payload: Value) {
      numbers.insert(number)
      for index in fields.indices { fields[index].insert(number, payload) }
    }

    mutating func remove(_ number: Int, _ payload: Value) {
      numbers.remove(number)
      for index in fields.indices { fields[index].remove(number, payload) }
    }

    /// Returns the fewest numbers that a field of the part leaves.
    mutating func numbers(containing part: Value, _ payload: (Int) -> Value?) -> Set<Int> {
      guard case .record(let wanted) = part else { return numbers }
      var fewest = numbers
      for (name, value) in wanted {
        guard let key = ActionIndex.key(of: value) else { continue }
        let found = fields[place(of: name, payload)].numbers[key] ?? []
        if found.count < fewest.count { fewest = found }
      }
      return fewest
    }

    /// Returns the place of a field, which is added if it was not asked for before.
    private mutating func place(of name: String, _ payload: (Int) -> Value?) -> Int {
      if let place = fields.firstIndex(where: { $0.name == name }) { return place }
      var field = Field(name: name)
      for number in numbers {
        if let payload = payload(number) { field.insert(number, payload) }
      }
      fields.append(field)
      return fields.count - 1
    }
  }

  private var named: [String: Named] = [:]

  /// Returns the key of a value, the same for values that are equal in Lua; nil for a table or no value.
  private static func key(of value: Value) -> Value? {
    switch value {
    case .boolean, .integer, .string: value
    case .number(let number): Int(exactly: number).map(Value.integer) ?? value
    case .nil, .list, .record, .map: nil
    }
  }

  mutating func insert(_ number: Int, _ action: QueuedAction) {
    named[action.name, default: Named()].insert(number, action.payload)
  }

  mutating func remove(_ number: Int, _ action: QueuedAction) {
    named[action.name]?.remove(number, action.payload)
    if named[action.name]?.numbers.isEmpty == true { named[action.name] = nil }
  }

  /// Returns numbers of actions of a name, among them all whose payloads contain the part.
  ///
  /// How many they are depends only on the actions and the part.
  ///
  /// - Parameter payload: returns the payload of an action.
  mutating func numbers(
    of name: String, containing part: Value, payload: (Int) -> Value?
  ) -> Set<Int> {
    named[name]?.numbers(containing: part, payload) ?? []
  }
}
