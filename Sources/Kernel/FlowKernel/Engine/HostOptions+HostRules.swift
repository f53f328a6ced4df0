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
  /// The rule is asked after the flow's own rules; several rules are asked in the order in which they were added. It
  /// must depend only on its arguments, and must not call the host. If it throws, the dispatch fails. If the flow does
  /// not declare an action, making or reloading the host throws a `HostError`.
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
  /// It otherwise does the same as `addGate(_:for:file:line:_:)`.
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
  /// The reducer runs after the flow's own reducer and before `on_enter`; several run in the order in which they were
  /// added. Its writes are part of the dispatch: they are checked as a script's are, they are in the patch, and they
  /// are undone if the reducer throws or an invariant does not hold. It must depend only on its arguments, and must not
  /// call the host. If the flow does not declare the action, making or reloading the host throws a `HostError`.
  public mutating func addReducer(
    for action: String, file: String = #fileID, line: Int = #line,
    _ reducer: @escaping @Sendable (StateWriter, DispatchedAction) throws -> Void
  ) {
    hostRules.reducers.append(
      HostReducer(action: action, place: SourcePlace(file: file, line: line), reducer: reducer))
  }
}
