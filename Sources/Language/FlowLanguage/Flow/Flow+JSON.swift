import LuaRuntime

extension Flow {
  /// Returns a payload as its action's types read it from JSON.
  package func reading(json payload: Value, of action: String) -> Value {
    self.action(named: action)?.payload.reading(json: payload) ?? payload
  }
}
