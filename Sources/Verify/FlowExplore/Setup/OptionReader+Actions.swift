import FlowLanguage
import LuaRuntime

/// The option `actions`: the external actions and their payloads.
extension OptionReader {
  mutating func readActions(_ told: Value) {
    guard case .fields(let actions) = SpecOption(told) else {
      return fault(
        "actions must list payloads: actions = { NAME = { FIELD = { ... } } }",
        at: ["actions"])
    }
    for (name, told) in actions.sorted(by: { $0.key < $1.key }) {
      guard let action = flow.action(named: name) else {
        fault(
          "there is no action \(name)" + Names.suggestion(for: name, among: flow.actionNames),
          at: ["actions", name])
        continue
      }
      if let payloads = payloads(of: action, told) { said.payloads[name] = payloads }
    }
  }

  private mutating func payloads(of action: Action, _ told: Value) -> [Value]? {
    if case .scalar(false) = SpecOption(told) { return [] }
    let path: [StatePath.Key] = [.field("actions"), .field(action.name)]
    if action.isInternal {
      fault(
        "action \(action.name) is internal, so it is never dispatched from outside; list "
          + "results of effects under effects", at: path)
      return nil
    }
    switch SpecOption(told) {
    case .fields(let fields): return product(of: fields, for: action, at: path)
    case .list(let payloads): return whole(payloads, of: action, at: path)
    default:
      fault(
        "action \(action.name) needs lists of values by field, a list of complete payloads, or false: "
          + "\(action.name) = { FIELD = { ... } }", at: path)
      return nil
    }
  }

  /// Returns every payload with one of the listed values in each field.
  private mutating func product(
    of fields: [String: Value], for action: Action, at path: [StatePath.Key]
  ) -> [Value]? {
    let before = faults.count
    var values: [String: [Value]] = [:]
    for (name, told) in fields.sorted(by: { $0.key < $1.key }) {
      values[name] = self.values(told, of: name, in: action, at: path + [.field(name)])
    }
    guard faults.count == before else { return nil }
    let all = Payloads(of: action.payload, said: values)
    switch all.found {
    case .success(let payloads):
      said.defaulted += all.defaulted(of: action.name)
      let narrow = fields.count == 1 ? fields.keys.map { path + [.field($0)] } : []
      check(payloads, of: action) { _ in narrow.first ?? path }
      return payloads
    case .failure(let missing):
      fault("action \(action.name): \(missing.sentence)", at: path)
      return nil
    }
  }

  private mutating func values(
    _ told: Value, of field: String, in action: Action, at path: [StatePath.Key]
  ) -> [Value]? {
    let known = action.payload.fields.map(\.name)
    guard known.contains(field) else {
      let list = known.isEmpty ? "; it has none" : Names.suggestion(for: field, among: known)
      fault("action \(action.name) has no field \(field)\(list)", at: path)
      return nil
    }
    guard case .list(let elements) = SpecOption(told) else {
      fault(
        "action \(action.name): the values of \(field) must be a list: \(field) = { ... }"
          + " (to exclude the action: \(action.name) = false)", at: path)
      return nil
    }
    return elements.enumerated().compactMap { index, told in
      plain(told, "\(action.name).\(field)", at: path + [.index(index + 1)])
    }
  }

  private mutating func whole(
    _ payloads: [Value], of action: Action, at path: [StatePath.Key]
  ) -> [Value]? {
    let before = faults.count
    let values = payloads.enumerated().compactMap { index, told -> Value? in
      let place = path + [.index(index + 1)]
      guard case .fields = SpecOption(told) else {
        fault(
          "action \(action.name): a payload must be a table of fields: \(action.name) = "
            + "{ { FIELD = value } }", at: place)
        return nil
      }
      // A field that is `none` is absent, as in a dispatched payload.
      return plain(told, action.name, at: place)?.recordValue.map {
        .record($0.filter { $0.value != .nil })
      }
    }
    guard faults.count == before else { return nil }
    check(values, of: action) { path + [.index($0 + 1)] }
    return values
  }

  private mutating func check(
    _ payloads: [Value], of action: Action, place: (Int) -> [StatePath.Key]
  ) {
    var known: Set<String> = []
    for (index, payload) in payloads.enumerated() {
      guard let problem = probe.fault(inPayload: payload, of: action.name),
        known.insert(problem).inserted
      else { continue }
      fault(problem, at: place(index))
    }
  }

  /// Returns the plain value of an option; reports a fault and returns nil if there is none.
  mutating func plain(_ told: Value, _ what: String, at path: [StatePath.Key]) -> Value? {
    do throws(SpecOption.NotPlain) {
      return try SpecOption.plain(told)
    } catch {
      fault("\(what) contains \(error.what); a payload contains plain data", at: path)
      return nil
    }
  }
}
