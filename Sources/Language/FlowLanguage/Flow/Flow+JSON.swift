import LuaRuntime

extension Flow {
  /// Returns a payload from JSON as its action's types read it.
  package func reading(json payload: Value, of action: String) -> Value {
    self.action(named: action)?.payload.reading(json: payload) ?? payload
  }
}
