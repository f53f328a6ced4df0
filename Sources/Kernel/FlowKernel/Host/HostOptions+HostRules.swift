import FlowLanguage
import LuaRuntime

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
