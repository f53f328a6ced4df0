import CLatch

/// What a flow can call and declare with, and the end of its loading.
extension LuaVM {
  /// Gives scripts what a flow can call wherever it runs.
  package func openFlowLibrary() throws(ScriptError) { try check(latch_open_flow_library(latch)) }

  /// Gives scripts what a flow declares with.
  package func openDeclarators() throws(ScriptError) { try check(latch_open_declarators(latch)) }

  /// The flow's file has run: its state comes to life, and what scripts can reach becomes read-only.
  package func finishLoading(budget: Int) throws(ScriptError) {
    try check(latch_finish_loading(latch, run(LATCH_LOADING, budget)))
  }
}
