import CLatch

/// A chunk that was compiled once, for any number of VMs.
///
/// There is no way to make one but to compile text: Lua does not check compiled code, so none must
/// come from elsewhere.
package struct Bytecode: Sendable {
  let bytes: [UInt8]
  fileprivate let isTrusted: Bool

  /// Compiles text in a VM of its own.
  ///
  /// `trusted` chunks have the prelude's globals and no line numbers, others the script's.
  package init(
    _ text: String, name: String, trusted: Bool = false, memoryLimit: Int = 0
  ) throws(ScriptError) {
    let vm = try LuaVM(memoryLimit: memoryLimit)
    vm.texts[name] = text
    let function = try vm.load(Array(text.utf8), name: name, trusted: trusted)
    var code = latch_bytes()
    try vm.check(latch_dump(vm.latch, function.number, trusted, &code))
    bytes = [UInt8](UnsafeRawBufferPointer(start: code.bytes, count: code.length))
    isTrusted = trusted
  }
}

extension LuaVM {
  /// Loads what was compiled already.
  package func load(_ code: Bytecode) throws(ScriptError) -> LuaReference {
    var function: latch_ref = 0
    let status = code.bytes.withUnsafeBufferPointer {
      latch_load_code(latch, $0.baseAddress, $0.count, code.isTrusted, &function)
    }
    try check(status)
    return LuaReference(function)
  }
}
