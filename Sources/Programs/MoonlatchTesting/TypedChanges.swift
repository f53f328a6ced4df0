import LuaRuntime

/// Returns changes of the state for a `FlowTester`, written on a Swift type.
///
/// ```swift
/// try await tester.send("add", tea, changes: changing(Order.self) { $0.lines.append(tea) })
/// ```
///
/// Fields of the state that the type does not have stay as they are.
///
/// - Parameters:
///   - type: a type of the whole state, or of some of its fields.
///   - body: changes the state as the action is to change it.
public func changing<State: Codable>(
  _ type: State.Type = State.self, _ body: @escaping (inout State) throws -> Void
) -> (inout Value) throws -> Void {
  { value in
    var state = try value.decoded(as: type)
    let before = try Value(encoding: state).recordValue ?? [:]
    try body(&state)
    let after = try Value(encoding: state).recordValue ?? [:]
    for name in before.keys where after[name] == nil { value[name] = nil }
    for (name, field) in after where before[name] != field { value[name] = field }
  }
}
