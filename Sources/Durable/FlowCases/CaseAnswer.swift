import FlowKernel
import FlowLanguage
import LuaRuntime

/// The answer to a request to a case, as it is stored in the inbox for the node that sent the request.
package enum CaseAnswer: Sendable {
  case done
  case outcome(Outcome)
  case permission(Permission)
  case view(Value, asOf: Int)
  case failed(any Error & Sendable)

  package var value: Value {
    switch self {
    case .done: ["is": "done"]
    case .outcome(.passed(let commit)):
      ["is": "passed", "revision": .integer(commit.revision)]
    case .outcome(.refused(let refusal)), .permission(.refused(let refusal)): refusal.inboxValue
    case .outcome(.failed(let failure)), .permission(.failed(let failure)): failure.inboxValue
    case .permission(.granted): ["is": "granted"]
    case .view(let value, let revision):
      ["is": "view", "value": value, "revision": .integer(revision)]
    case .failed(let error): CaseAnswer.value(of: error)
    }
  }

  private static func value(of error: any Error) -> Value {
    switch error {
    case let error as JournalError:
      let kind = kinds.first { $0.value == error.kind }?.key ?? "failed"
      return ["is": "journal", "kind": .string(kind), "message": .string(error.description)]
    case let failure as DispatchFailure: return failure.inboxValue
    case ViewError.undeclared(let message):
      return ["is": "undeclared", "message": .string(message)]
    case ViewError.failed(let error): return ["is": "script", "message": .string(error.summary)]
    default:
      return ["is": "journal", "kind": "failed", "message": .string("\(error)")]
    }
  }

  private static let kinds: [String: JournalError.Kind] = [
    "damaged": .damaged, "unreadable": .unreadable, "otherFlow": .otherFlow,
    "otherVersion": .otherVersion, "unfit": .unfit,
    "keyReused": .keyReused, "unknownCase": .unknownCase, "knownCase": .knownCase,
    "endedCase": .endedCase, "otherRevision": .otherRevision, "full": .full, "failed": .failed,
    "closed": .closed,
  ]

  /// Decodes an answer.
  ///
  /// - Parameter request: the request that it answers.
  package init(_ value: Value, to request: CaseRequest) {
    func text(_ name: String) -> String { value[name]?.stringValue ?? "" }
    let revision = value["revision"]?.integerValue ?? 0
    let content = value["value"] ?? .nil
    switch (text("is"), request) {
    case ("done", _): self = .done
    case ("passed", .dispatch(let action, let payload, _, let who, _)):
      self = .outcome(.passed(Commit(answered: revision, action, payload, by: who)))
    case ("refused", .may): self = .permission(.refused(Refusal(inbox: value)))
    case ("refused", _): self = .outcome(.refused(Refusal(inbox: value)))
    case ("failure", .may): self = .permission(.failed(DispatchFailure(inbox: value)))
    case ("failure", .create): self = .failed(DispatchFailure(inbox: value))
    case ("failure", _): self = .outcome(.failed(DispatchFailure(inbox: value)))
    case ("granted", _): self = .permission(.granted)
    case ("view", _): self = .view(content, asOf: revision)
    case ("undeclared", _): self = .failed(ViewError.undeclared(text("message")))
    case ("script", _):
      self = .failed(ViewError.failed(ScriptError(kind: .runtime, message: text("message"))))
    default:
      self = .failed(JournalError(Self.kinds[text("kind")] ?? .failed, text("message")))
    }
  }
}

extension Refusal {
  fileprivate var inboxValue: Value {
    let kind =
      switch rejectedBy {
      case .internal: "internal"
      case .scope: "scope"
      case .machine: "machine"
      case .gatekeeper: "gatekeeper"
      case .gate: "gate"
      }
    return [
      "is": "refused", "action": .string(action), "kind": .string(kind),
      "by": .string(rejectedBy.name),
      "reason": reason.map(Value.string) ?? .nil, "file": .string(place.file),
      "line": .integer(place.line),
    ]
  }

  fileprivate init(inbox value: Value) {
    func text(_ name: String) -> String { value[name]?.stringValue ?? "" }
    let name = text("by")
    let by: Refuser =
      switch text("kind") {
      case "scope": .scope(name)
      case "machine": .machine(name)
      case "gatekeeper": .gatekeeper(name)
      case "gate": .gate(name)
      default: .internal
      }
    self.init(
      action: text("action"), rejectedBy: by, reason: value["reason"]?.stringValue,
      place: SourcePlace(file: text("file"), line: value["line"]?.integerValue ?? 0))
  }
}

extension DispatchFailure {
  fileprivate var inboxValue: Value {
    [
      "is": "failure", "kind": .string(kind.rawValue), "action": .string(action),
      "message": .string(summary),
    ]
  }

  fileprivate init(inbox value: Value) {
    func text(_ name: String) -> String { value[name]?.stringValue ?? "" }
    self.init(
      kind: Kind(rawValue: text("kind")) ?? .script, action: text("action"),
      message: text("message"))
  }
}
