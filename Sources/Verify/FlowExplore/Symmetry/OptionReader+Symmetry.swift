import FlowLanguage
import LuaRuntime

/// The option `alike`: the symmetric values.
extension OptionReader {
  mutating func readAlike(_ told: Value) {
    guard case .fields(let lists) = SpecOption(told) else {
      return fault("alike must list values by field: alike = { FIELD = { ... } }", at: ["alike"])
    }
    for (name, told) in lists.sorted(by: { $0.key < $1.key }) {
      let before = faults.count
      let values = readValues(told, name)
      let alike = values.map {
        readFields(told, SymmetryValues(name: name, values: $0, place: place(of: path(name))))
      }
      if let alike, faults.count == before { said.alike.append(alike) }
    }
    let orders = said.alike.reduce(1) { $0 * $1.orders }
    if orders > StateSearch.mostOrders {
      fault(
        "alike: these values have \(Value.grouped(orders)) permutations, and may have at most "
          + "\(Value.grouped(StateSearch.mostOrders)): list fewer of them",
        at: ["alike"])
    }
  }

  private func path(_ name: String) -> [StatePath.Key] { [.field("alike"), .field(name)] }

  /// Returns the values of a list; reports a fault and returns nil if they cannot be exchanged.
  private mutating func readValues(_ told: Value, _ name: String) -> [Value]? {
    let form = "\(name) = { 1, 2, 3 }"
    let values: [Value]
    switch SpecOption(told) {
    case .list(let items), .mixed(let items, _): values = items
    default: values = []
    }
    let areStrings = values.allSatisfy { $0.stringValue != nil }
    guard values.count > 1, areStrings || values.allSatisfy({ $0.integerValue != nil }) else {
      fault("alike.\(name) must list two or more strings, or integers: \(form)", at: path(name))
      return nil
    }
    guard Set(values).count == values.count else {
      fault("alike.\(name) lists a value twice", at: path(name))
      return nil
    }
    guard values.count <= SymmetryValues.most else {
      fault(
        "alike.\(name) lists \(values.count) values, and may list at most \(SymmetryValues.most): list "
          + "\(SymmetryValues.most) of them, or explore with fewer", at: path(name))
      return nil
    }
    return values
  }

  private mutating func readFields(_ told: Value, _ alike: SymmetryValues) -> SymmetryValues {
    var alike = alike
    let name = alike.name
    alike.fields = [name]
    var fields: [String: Value] = [:]
    if case .mixed(_, let options) = SpecOption(told) { fields = options }
    for (option, told) in fields.sorted(by: { $0.key < $1.key }) {
      let texts = told.listValue?.compactMap(\.stringValue) ?? []
      let path = path(name) + [.field(option)]
      guard ["at", "fields"].contains(option) else {
        fault(
          "alike.\(name) has no \(option)"
            + Names.suggestion(for: option, among: ["at", "fields"]) + " (it takes at and fields)",
          at: path)
        continue
      }
      guard !texts.isEmpty, texts.count == told.listValue?.count else {
        let form = option == "at" ? SymmetryTable.form(name) : "fields = { \"from\", \"to\" }"
        fault("alike.\(name).\(option) must list strings: \(form)", at: path)
        continue
      }
      if option == "at" {
        alike.places = texts.enumerated().compactMap {
          readPlace($1, of: name, at: path + [.index($0 + 1)])
        }
      } else {
        alike.fields = Set(texts)
      }
    }
    let known = Set(flow.actions.flatMap { $0.payload.fields.map(\.name) })
    for field in alike.fields.sorted() where !known.contains(field) {
      fault(
        "alike: no action has a field \(field)"
          + Names.suggestion(for: field, among: known.sorted())
          + (fields["fields"] == nil
            ? "; fields = { ... } names those that hold these values" : ""),
        at: path(name))
    }
    return alike
  }

  private mutating func readPlace(
    _ text: String, of name: String, at path: [StatePath.Key]
  ) -> SymmetryPlace? {
    guard let place = SymmetryPlace(text, of: name) else {
      fault(
        "alike.\(name): \(Value.quoted(text, limit: 60)) is not a place of such values: write rm[\(name)] if they are "
          + "keys, owner = \(name) for a field, queue[*] = \(name) for the elements of a list",
        at: path)
      return nil
    }
    guard flow.fields.contains(where: { $0.name == place.field }) else {
      fault(
        "alike.\(name): there is no field state.\(place.field)"
          + Names.suggestion(for: place.field, among: flow.fields.map(\.name)), at: path)
      return nil
    }
    return place
  }
}
