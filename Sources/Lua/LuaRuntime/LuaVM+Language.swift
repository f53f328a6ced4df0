import CLatch

/// What a flow can call and declare with, and the end of its loading.
extension LuaVM {
  /// Gives scripts what a flow can call wherever it runs.
  package func openFlowLibrary() throws(ScriptError) { try check(latch_open_flow_library(latch)) }

  /// Gives scripts what a flow declares with.
  package func openDeclarators() throws(ScriptError) { try check(latch_open_declarators(latch)) }

  /// The state has a field that a machine writes, which has that value at the beginning; nil: none.
  ///
  /// Before `finishLoading`.
  package func declareRegion(_ field: String, _ value: String?) throws(ScriptError) {
    var (field, value) = (field, value)
    let status = field.withUTF8 { field in
      let field = latch_bytes(bytes: field.baseAddress, length: field.count)
      return value?.withUTF8 {
        latch_declare_region(latch, field, latch_bytes(bytes: $0.baseAddress, length: $0.count))
      } ?? latch_declare_region(latch, field, latch_bytes(bytes: nil, length: 0))
    }
    try check(status)
  }

  /// The flow's file has run: its state comes to life, and what scripts can reach becomes read-only.
  package func finishLoading(budget: Int) throws(ScriptError) {
    try check(latch_finish_loading(latch, run(LATCH_LOADING, budget)))
  }
}
