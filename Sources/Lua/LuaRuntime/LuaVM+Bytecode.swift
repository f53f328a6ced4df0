import CLatch

extension LuaVM {
  /// Loads compiled code, and returns a reference to its function.
  package func load(_ code: Bytecode) throws(ScriptError) -> LuaReference {
    var function: latch_ref = 0
    let status = code.bytes.withUnsafeBufferPointer {
      latch_load_code(latch, $0.baseAddress, $0.count, code.isTrusted, &function)
    }
    try check(status)
    return LuaReference(function)
  }
}
