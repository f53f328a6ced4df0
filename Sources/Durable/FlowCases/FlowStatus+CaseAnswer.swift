import FlowHosting
import FlowKernel
import LuaRuntime

extension FlowStatus {
  /// The status as it is stored in an inbox; times are in microseconds.
  var inboxValue: Value {
    [
      "revision": .integer(revision), "elapsed": .integer(EngineTime.microseconds(elapsed)),
      "machines": .record(machines.mapValues(Value.string)),
      "passages": .list(passages.map(\.inboxValue)),
      "scopes": .list(openScopes.map(\.inboxValue)),
      "work": .list(pendingWork.map(\.inboxValue)),
    ]
  }

  /// Decodes a status from an inbox.
  init(inbox value: Value) {
    func list(_ name: String) -> [Value] { value[name]?.listValue ?? [] }
    self.init(
      revision: value["revision"]?.integerValue ?? 0,
      elapsed: .microseconds(value["elapsed"]?.integerValue ?? 0),
      machines: (value["machines"]?.recordValue ?? [:]).compactMapValues(\.stringValue),
      passages: list("passages").map(HeldPassage.init(inbox:)),
      openScopes: list("scopes").map(ScopeInstanceStatus.init(inbox:)),
      pendingWork: list("work").map(PendingWork.init(inbox:)))
  }
}

extension HeldPassage {
  fileprivate var inboxValue: Value {
    let time = EngineTime.microseconds(elapsed)
    return .record([
      "gatekeeper": .string(gatekeeper), "option": Value(optional: option),
      "action": .string(action), "revision": .integer(revision), "time": .integer(time),
    ])
  }

  fileprivate init(inbox value: Value) {
    self.init(
      gatekeeper: value["gatekeeper"]?.stringValue ?? "", option: value["option"]?.stringValue,
      action: value["action"]?.stringValue ?? "", revision: value["revision"]?.integerValue ?? 0,
      microseconds: value["time"]?.integerValue ?? 0)
  }
}

extension ScopeInstanceStatus {
  fileprivate var inboxValue: Value {
    .record([
      "name": .string(name), "parent": Value(optional: parent), "key": key ?? Value.nil,
      "host": .boolean(isHosts),
    ])
  }

  fileprivate init(inbox value: Value) {
    self.init(
      name: value["name"]?.stringValue ?? "", parent: value["parent"]?.stringValue,
      key: value["key"]?.unlessNil, isHosts: value["host"] == Value.boolean(true))
  }
}

extension PendingWork {
  fileprivate var inboxValue: Value {
    let due: Value = self.due.map { Value.integer(EngineTime.microseconds($0)) } ?? Value.nil
    return .record([
      "kind": .string(kind.rawValue), "title": .string(title), "action": .string(action),
      "payload": payload, "cause": .integer(cause), "due": due,
      "state": Value(optional: postponedIn), "shown": shown ?? Value.nil,
    ])
  }

  fileprivate init(inbox value: Value) {
    let due = value["due"]?.integerValue
    self.init(
      Kind(rawValue: value["kind"]?.stringValue ?? "") ?? .effect,
      title: value["title"]?.stringValue ?? "", action: value["action"]?.stringValue ?? "",
      payload: value["payload"] ?? [:], cause: value["cause"]?.integerValue ?? 0,
      due: due.map { Duration.microseconds($0) }, postponedIn: value["state"]?.stringValue,
      shown: value["shown"]?.unlessNil)
  }
}

extension Value {
  fileprivate init(optional text: String?) {
    if let text { self = .string(text) } else { self = .nil }
  }

  fileprivate var unlessNil: Value? { isNil ? nil : self }
}
