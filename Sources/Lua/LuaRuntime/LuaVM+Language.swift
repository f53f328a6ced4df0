import CLatch

/// The flow language: its library, its declarators, and the end of loading.
extension LuaVM {
  /// Gives scripts the library that a flow may call wherever it runs.
  package func openFlowLibrary() throws(ScriptError) { try check(latch_open_flow_library(latch)) }

  /// Gives scripts the declarators of a flow.
  package func openDeclarators() throws(ScriptError) { try check(latch_open_declarators(latch)) }

  /// Declares a field of the state that a machine writes, with its initial value; nil for none.
  ///
  /// It must be called before `finishLoading`.
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

  /// Ends the loading of the flow's file: creates the state, and makes all that scripts can reach read-only.
  package func finishLoading(budget: Int) throws(ScriptError) {
    try check(latch_finish_loading(latch, run(LATCH_LOADING, budget)))
  }
}
