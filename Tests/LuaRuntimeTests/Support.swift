import LuaRuntime

extension LuaVM {
  /// Runs a script and gives its results.
  @discardableResult
  func run(_ script: String, name: String = "test.lua", budget: Int = 1_000_000)
    throws(ScriptError) -> [Value]
  {
    try call(load(Array(script.utf8), name: name), phase: .script, budget: budget)
  }

  /// The error that the script ends with.
  func error(
    of script: String, name: String = "test.lua", budget: Int = 1_000_000
  ) -> ScriptError? {
    do {
      try run(script, name: name, budget: budget)
      return nil
    } catch {
      return error
    }
  }
}
