import LuaRuntime

/// What is asked of a case, as it lies in the inbox for the node that holds it.
enum CaseRequest: Sendable {
  case create(given: Value)
  case dispatch(String, Value, key: String?, by: String?)
  case may(String, Value, by: String?)
  case view(String)
  case state
  case end

  /// What comes of it here, where the case may be activated.
  ///
  /// - Parameter dispatch: where it lay in the inbox: a dispatch that has no key of its own has that of the offer, and so has what
  ///   creates a case.
  func perform(
    on id: String, of cases: Cases, for dispatch: InboxDispatch? = nil
  ) async throws -> CaseAnswer {
    let one = cases[id]
    switch self {
    case .create(let given):
      try await cases.createHere(id, given: given, key: dispatch?.key)
      return .done
    case .dispatch(let action, let payload, let key, let who):
      guard let key = key ?? dispatch?.key else {
        return .outcome(try await one.dispatchHere(action, payload, by: who))
      }
      return .outcome(
        try await one.dispatchHere(action, payload, key: key, by: who, for: dispatch))
    case .may(let action, let payload, let who):
      return .permission(try await one.mayHere(action, payload, by: who))
    case .view(let name):
      let seen = try await one.seeHere(name, fresh: cases.node != nil)
      return .view(seen.value, asOf: seen.asOf)
    case .state: return .value(try await one.stateHere())
    case .end:
      try await one.endHere(key: dispatch?.key)
      return .done
    }
  }

  var value: Value {
    func record(_ kind: String, _ fields: [String: Value?]) -> Value {
      .record(fields.compactMapValues { $0 }.merging(["do": .string(kind)]) { $1 })
    }
    return switch self {
    case .create(let given): record("create", ["given": given])
    case .dispatch(let action, let payload, let key, let who):
      record(
        "dispatch",
        [
          "action": .string(action), "payload": payload, "key": key.map(Value.string),
          "by": who.map(Value.string),
        ])
    case .may(let action, let payload, let who):
      record(
        "may", ["action": .string(action), "payload": payload, "by": who.map(Value.string)])
    case .view(let name): record("view", ["name": .string(name)])
    case .state: record("state", [:])
    case .end: record("end", [:])
    }
  }

  /// Nil for what another version of Moonlatch asks.
  init?(_ value: Value) {
    func text(_ name: String) -> String? { value[name]?.stringValue }
    let action = text("action") ?? ""
    let payload = value["payload"] ?? [:]
    switch text("do") {
    case "create": self = .create(given: value["given"] ?? [:])
    case "dispatch": self = .dispatch(action, payload, key: text("key"), by: text("by"))
    case "may": self = .may(action, payload, by: text("by"))
    case "view": self = .view(text("name") ?? "")
    case "state": self = .state
    case "end": self = .end
    default: return nil
    }
  }
}

extension Value {
  /// As it lies in an inbox.
  var inboxBytes: [UInt8] {
    var writer = ValueWriter()
    writer.write(self)
    return writer.bytes
  }

  /// Nil where it cannot be read.
  init?(inbox bytes: [UInt8]) {
    let value = bytes.withUnsafeBytes { bytes in
      var reader = ValueReader(bytes)
      return try? reader.value()
    }
    guard let value else { return nil }
    self = value
  }
}
