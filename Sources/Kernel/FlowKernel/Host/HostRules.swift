import FlowLanguage
import LuaRuntime

/// An action that was offered, as native rules and reducers see it.
public struct DispatchedAction: Sendable, Hashable {
  /// The action's name.
  public let name: String
  /// The payload, checked, with defaults filled in.
  public let payload: Value

  /// A field of the payload; `.nil` where it is missing.
  public subscript(field: String) -> Value { payload[field] ?? .nil }

  /// The payload as a Swift type.
  ///
  /// - Throws: `ScriptError` when the payload is not of that type.
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

/// What a native gate rule says of an action.
public enum GateVerdict: Sendable, Hashable {
  /// The rule lets the action pass.
  case passes
  /// The rule refuses the action, with a reason.
  case refuses(String)
}

extension HostOptions {
  /// Adds a gate rule in Swift for some actions.
  ///
  /// ```swift
  /// options.addGate("opening hours", for: ["coin", "push"]) { state, action in
  ///   try state.value(at: "hour") < 22 ? .passes : .refuses("the park is closed")
  /// }
  /// ```
  ///
  /// It is asked after the flow's own rules; several are asked in the order in which they were added.
  /// It is to depend on nothing but what it is given, and must not call the host. What it throws
  /// fails the dispatch. An action that the flow does not declare is a `HostError` when the host is
  /// made or reloaded.
  public mutating func addGate(
    _ name: String, for actions: [String], file: String = #fileID, line: Int = #line,
    _ rule: @escaping @Sendable (StateReader, DispatchedAction) throws -> GateVerdict
  ) {
    hostRules.gates.append(
      HostGate(
        name: name, actions: actions, place: SourcePlace(file: file, line: line), rule: rule))
  }

  /// Adds a gate rule in Swift for every action.
  ///
  /// Otherwise as `addGate(_:for:file:line:_:)`.
  public mutating func addGate(
    _ name: String, file: String = #fileID, line: Int = #line,
    _ rule: @escaping @Sendable (StateReader, DispatchedAction) throws -> GateVerdict
  ) {
    hostRules.gates.append(
      HostGate(name: name, actions: nil, place: SourcePlace(file: file, line: line), rule: rule))
  }

  /// Adds a reducer in Swift for an action.
  ///
  /// ```swift
  /// options.addReducer(for: "coin") { state, action in
  ///   let coins = try state.value(at: "coins", as: Int.self)
  ///   try state.set("coins", to: coins + 1)
  /// }
  /// ```
  ///
  /// It runs after the flow's own reducer and before `on_enter`; several run in the order in which
  /// they were added. Its writes are part of the transition: they are checked as a script's are, they
  /// are in the patch, and they are taken back when it throws or an invariant does not hold. It is to
  /// depend on nothing but what it is given, and must not call the host. An action that the flow does
  /// not declare is a `HostError` when the host is made or reloaded.
  public mutating func addReducer(
    for action: String, file: String = #fileID, line: Int = #line,
    _ reducer: @escaping @Sendable (StateWriter, DispatchedAction) throws -> Void
  ) {
    hostRules.reducers.append(
      HostReducer(action: action, place: SourcePlace(file: file, line: line), reducer: reducer))
  }
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

/// The same by action, as dispatches ask for them.
package final class LoadedHostRules: Sendable {
  let gates: [String: [HostGate]]
  let reducers: [String: [HostReducer]]

  /// Throws when an action is named that the flow does not declare.
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
