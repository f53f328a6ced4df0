import LuaRuntime

/// A request to a case, as it is stored in the inbox for the node that holds the case.
package enum CaseRequest: Sendable {
  case create(given: Value, key: String? = nil)
  /// Dispatches an action.
  ///
  /// - Parameter at: the revision that the case must have; nil for any.
  case dispatch(String, Value, key: String?, by: String?, at: Int? = nil)
  case may(String, Value, by: String?)
  case view(String)
  case state
  case status
  case end(key: String? = nil, at: Int? = nil)

  /// Performs the request on this node, which may activate the case.
  ///
  /// - Parameter dispatch: the request's place in the inbox, if it came from there. Its key is used for a
  ///   dispatch, a creation or an end that has no key of its own.
  func perform(
    on id: String, of cases: Cases, for dispatch: InboxDispatch? = nil
  ) async throws -> CaseAnswer {
    let one = cases[id]
    switch self {
    case .create(let given, let key):
      try await cases.createHere(id, given: given, key: key ?? dispatch?.key)
      return .done
    case .dispatch(let action, let payload, let key, let who, let revision):
      guard let key = key ?? dispatch?.key else {
        return .outcome(try await one.dispatchHere(action, payload, by: who, at: revision))
      }
      return .outcome(
        try await one.dispatchHere(
          action, payload, key: key, by: who, at: revision, for: dispatch))
    case .may(let action, let payload, let who):
      return .permission(try await one.mayHere(action, payload, by: who))
    case .view(let name):
      let seen = try await one.seeHere(name, fresh: cases.node != nil)
      return .view(seen.value, asOf: seen.asOf)
    case .state:
      let seen = try await one.stateHere(fresh: cases.node != nil)
      return .view(seen.value, asOf: seen.asOf)
    case .status:
      let status = try await one.statusHere(fresh: cases.node != nil)
      return .view(status.inboxValue, asOf: status.revision)
    case .end(let key, let revision):
      try await one.endHere(key: key ?? dispatch?.key, at: revision)
      return .done
    }
  }

  package var value: Value {
    func record(_ kind: String, _ fields: [String: Value?]) -> Value {
      .record(fields.compactMapValues { $0 }.merging(["do": .string(kind)]) { $1 })
    }
    return switch self {
    case .create(let given, let key):
      record("create", ["given": given, "key": key.map(Value.string)])
    case .dispatch(let action, let payload, let key, let who, let revision):
      record(
        "dispatch",
        [
          "action": .string(action), "payload": payload, "key": key.map(Value.string),
          "by": who.map(Value.string), "at": revision.map(Value.integer),
        ])
    case .may(let action, let payload, let who):
      record(
        "may", ["action": .string(action), "payload": payload, "by": who.map(Value.string)])
    case .view(let name): record("view", ["name": .string(name)])
    case .state: record("state", [:])
    case .status: record("status", [:])
    case .end(let key, let revision):
      record("end", ["key": key.map(Value.string), "at": revision.map(Value.integer)])
    }
  }

  /// Decodes a request; nil if another version of Moonlatch has made it.
  package init?(_ value: Value) {
    func text(_ name: String) -> String? { value[name]?.stringValue }
    let action = text("action") ?? ""
    let payload = value["payload"] ?? [:]
    switch text("do") {
    case "create": self = .create(given: value["given"] ?? [:], key: text("key"))
    case "dispatch":
      self = .dispatch(
        action, payload, key: text("key"), by: text("by"), at: value["at"]?.integerValue)
    case "may": self = .may(action, payload, by: text("by"))
    case "view": self = .view(text("name") ?? "")
    case "state": self = .state
    case "status": self = .status
    case "end": self = .end(key: text("key"), at: value["at"]?.integerValue)
    default: return nil
    }
  }
}
