import FlowLanguage
import LuaRuntime

/// Values in the form that the page gets: with dots in place of secrets, and with leaves as texts.
///
/// Leaves are texts because JavaScript has no 64-bit integers.
struct ShownValues: Sendable {
  let flow: Flow
  private let texts: SecretTexts

  init(_ flow: Flow, _ texts: SecretTexts) { (self.flow, self.texts) = (flow, texts) }

  /// Returns a sentence without known secrets.
  func sentence(_ text: String) -> Value { .string(texts.hiding(in: text)) }

  func payload(_ payload: Value, of action: String) -> Value {
    flow.shown(payload, of: action)
  }

  func state(_ state: Value) -> Value {
    ShownValues.tree(plain(state))
  }

  func changes(_ changes: [Patch.Change]) -> Value {
    .list(
      changes.map { change in
        let shown = flow.secrets?.hiding(change) ?? change
        return [
          "op": .string("\(shown.operation)"), "path": .string("\(shown.path)"),
          "keys": .list(shown.path.keys.map { .string("\($0.value)") }),
          "old": ShownValues.tree(shown.old), "new": ShownValues.tree(shown.new),
        ]
      })
  }

  /// Returns a value as a tree: `i7`, `n0.5`, `btrue`, `stext`, or `z` for nil; `{l: [...]}`, `{r: [[name, value],
  /// ...]}`, `{m: ...}`.
  static func tree(_ value: Value) -> Value {
    switch value {
    case .nil: return "z"
    case .boolean(let flag): return flag ? "btrue" : "bfalse"
    case .integer(let integer): return .string("i\(integer)")
    case .number(let number): return .string("n" + Value.text(of: number))
    case .string(let text): return .string("s" + text)
    case .list(let elements): return ["l": .list(elements.map(tree))]
    case .record(let fields):
      return [
        "r": .list(
          fields.sorted { $0.key < $1.key }.map { .list([.string($0.key), tree($0.value)]) })
      ]
    case .map(let entries):
      return [
        "m": .list(
          entries.sorted { $0.key < $1.key }.map { .list([.string("\($0.key)"), tree($0.value)]) })
      ]
    }
  }

  /// Returns a row with short names, because there may be 100,000 rows.
  func row(_ row: InspectedRow) -> Value {
    var fields: [String: Value] = [
      "s": .integer(row.seq), "r": .integer(row.revision), "a": .string(row.action),
      "o": .string(row.outcome.rawValue), "t": .integer(row.time), "w": .integer(row.wall),
    ]
    if row.place > 0 { fields["n"] = .integer(row.place) }
    fields["c"] = row.cause.map { .integer($0) }
    fields["b"] = row.by.map { .string($0) }
    fields["k"] = row.who.map { .string($0) }
    fields["y"] = row.why.map { sentence($0) }
    fields["f"] = row.source.map { .string($0) }
    let payload = payload(row.payload, of: row.action)
    if !payload.isEmptyTable { fields["p"] = .string(payload.text(limit: 160)) }
    let changes = row.changes
    if !changes.isEmpty {
      fields["x"] = .integer(changes.count)
      let moved = machinesMoved(by: changes)
      if !moved.isEmpty { fields["m"] = .list(moved.map { .integer($0) }) }
    }
    return .record(fields)
  }

  /// Returns the numbers of the machines whose fields a patch has changed.
  private func machinesMoved(by changes: [Patch.Change]) -> [Int] {
    flow.machines.indices.filter { index in
      let machine = flow.machines[index]
      let fields = machine.regionFields.map(\.field)
      return changes.contains { change in
        let keys = change.path.keys
        guard let records = machine.records else {
          return keys.count == 1 && fields.contains { keys[0] == .field($0) }
        }
        return keys.count == records.path.count + 2
          && fields.contains { keys.last == .field($0) }
          && zip(records.path, keys).allSatisfy { $0 == "*" || $1 == .field($0) }
      }
    }
  }
}
