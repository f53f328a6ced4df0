import FlowLanguage
import LuaRuntime

/// A dispatched action, as native rules and reducers see it.
public struct DispatchedAction: Sendable, Hashable {
  /// The action's name.
  public let name: String
  /// The payload, checked, with defaults filled in.
  public let payload: Value

  /// The field of that name in the payload; `.nil` if it is missing.
  public subscript(field: String) -> Value { payload[field] ?? .nil }

  /// The payload as a Swift type.
  ///
  /// - Throws: `ScriptError` if the payload is not of that type.
  public func payload<Payload: Decodable>(as type: Payload.Type) throws(ScriptError) -> Payload {
    do {
      return try ValueDecoder.decode(type, from: payload)
    } catch {
      throw ScriptError(
        kind: .runtime,
        message: "the payload of \(name) is not of type \(type): \(CodingSentence.describe(error))")
    }
  }
}

/// The verdict of a native gate rule on an action.
public enum GateVerdict: Sendable, Hashable {
  /// The rule lets the action pass.
  case passes
  /// The rule refuses the action, with a reason.
  case refuses(String)
}

/// The rules and reducers that a host adds to a flow's own.
package struct HostRules: Sendable {
  var gates: [HostGate] = []
  var reducers: [HostReducer] = []

  package var isEmpty: Bool { gates.isEmpty && reducers.isEmpty }
}

struct HostGate: Sendable {
  package let name: String
  /// Nil for every action.
  package let actions: [String]?
  package let place: SourcePlace
  package let rule: @Sendable (StateReader, DispatchedAction) throws -> GateVerdict
  package var title: String { "gate \(name)" }
}

struct HostReducer: Sendable {
  package let action: String
  package let place: SourcePlace
  package let reducer: @Sendable (StateWriter, DispatchedAction) throws -> Void
  package var title: String { "the native reducer of \(action)" }
}

/// The rules and reducers of a host, indexed by action for dispatches.
package final class LoadedHostRules: Sendable {
  let gates: [String: [HostGate]]
  let reducers: [String: [HostReducer]]

  /// Creates the index; throws if a rule or reducer names an action that the flow does not declare.
  init(_ parts: HostRules, in flow: Flow) throws(HostError) {
    for gate in parts.gates {
      for name in gate.actions ?? [] {
        try LoadedHostRules.check(name, of: gate.title, gate.place, flow)
      }
    }
    for reducer in parts.reducers {
      try LoadedHostRules.check(reducer.action, of: "a native reducer", reducer.place, flow)
    }
    gates = Dictionary(
      uniqueKeysWithValues: flow.actionNames.map { name in
        (name, parts.gates.filter { $0.actions?.contains(name) ?? true })
      })
    reducers = Dictionary(grouping: parts.reducers, by: \.action)
  }

  private static func check(
    _ name: String, of title: String, _ place: SourcePlace, _ flow: Flow
  ) throws(HostError) {
    guard flow.indexOfAction[name] == nil else { return }
    throw HostError(
      .undeclaredAction(name),
      "\(place): \(title): \(flow.file) declares no action \(name)"
        + Names.suggestion(for: name, among: flow.actionNames))
  }
}
