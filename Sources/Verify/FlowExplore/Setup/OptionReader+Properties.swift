import FlowLanguage
import LuaRuntime

/// The properties that must hold.
extension OptionReader {
  mutating func readProperty(_ told: Value) {
    guard let kind = Property.Kind(rawValue: told["kind"]?.stringValue ?? ""),
      let asked = told["functions"]?.listValue?.compactMap(\.integerValue), let last = asked.last
    else { return }
    let name = told["name"]?.stringValue ?? ""
    let place = SourcePlace(file: file, line: told["line"]?.integerValue ?? 0)
    let title = Property.title(kind.rawValue, name)
    func function(_ number: Int) -> AskedFunction {
      AskedFunction(number: number, title: title, place: place)
    }
    var property = Property(kind: kind, name: name, place: place, asked: function(last))
    if kind == .leadsTo, let first = asked.first { property.when = function(first) }
    if property.isLive, let alike = said.alike.first {
      fault(
        "\(title) is a property of runs, but alike.\(alike.name) is for properties of states: explore it without alike",
        line: place.line)
    }
    property.looksAtMove = kind == .step && (told["takes"]?.integerValue ?? 0) > 2
    if let options = told["options"] { readFair(options, into: &property) }
    said.properties.append(property)
  }

  private func problem(withFair name: String) -> String? {
    if name == Property.timePasses || name == Property.effectsEnd { return nil }
    guard let action = flow.action(named: name) else {
      return "there is no action \(name)"
        + Names.suggestion(
          for: name, among: flow.actionNames + [Property.timePasses, Property.effectsEnd])
    }
    if action.isInternal || said.payloads[name]?.isEmpty == true {
      return
        "\(name) is never dispatched from outside, so it cannot be fair; for timers that come due and "
        + "effects that end use fair = { \"time passes\", \"effects end\" }"
    }
    return nil
  }

  private mutating func readFair(_ options: Value, into property: inout Property) {
    let line = property.place.line
    let isLive = property.isLive
    guard isLive, case .fields(let fields) = SpecOption(options) else {
      let form =
        isLive ? "options by name: { fair = { \"ACTION\" } }" : "nothing after its function"
      return fault("\(property.title) takes \(form)", line: line)
    }
    for (option, told) in fields.sorted(by: { $0.key < $1.key }) {
      guard option == "fair" else {
        fault(
          "\(property.title) has no option \(option)"
            + Names.suggestion(for: option, among: ["fair"]) + " (it takes fair)", line: line)
        continue
      }
      let items = told.listValue?.map(fairness) ?? [nil]
      guard items.allSatisfy({ $0 != nil }) else {
        fault(
          "\(property.title): fair lists actions: fair = { \"ACTION\" }; one with some of its payloads is "
            + "{ \"ACTION\", FIELD = value }, and one for each value of a field is { \"ACTION\", \"FIELD\" }",
          line: line)
        continue
      }
      property.fair = items.compactMap(\.self)
      for each in property.fair {
        guard let problem = problem(withFair: each.name) ?? problem(withFieldsOf: each) else {
          continue
        }
        fault("\(property.title): \(problem)", line: line)
      }
    }
  }

  private func fairness(_ told: Value) -> Fairness? {
    switch SpecOption(told) {
    case .scalar(.string(let name)): return Fairness(name: name)
    case .list(let items): return fairness(items, [:])
    case .mixed(let items, let fields): return fairness(items, fields)
    default: return nil
    }
  }

  private func fairness(_ items: [Value], _ fields: [String: Value]) -> Fairness? {
    let names = items.compactMap(\.stringValue)
    guard let name = names.first, names.count == items.count,
      let payload = try? SpecOption.plain(fields)
    else { return nil }
    return Fairness(name: name, payload: payload, fields: Array(names.dropFirst()))
  }

  private func problem(withFieldsOf fair: Fairness) -> String? {
    let known = flow.action(named: fair.name)?.payload.fields.map(\.name) ?? []
    let unknown = (fair.payload.keys.sorted() + fair.fields).first { !known.contains($0) }
    guard let unknown else { return nil }
    return "\(fair.name) has no field \(unknown)"
      + (known.isEmpty ? "; it has none" : Names.suggestion(for: unknown, among: known))
  }
}
