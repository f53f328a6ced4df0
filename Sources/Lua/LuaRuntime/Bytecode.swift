import CLatch

/// A chunk that is compiled once and loaded into any number of VMs.
///
/// It must be compiled from text, here or by `scripts/preludes`: Lua does not check compiled code, so none may come
/// from elsewhere.
package struct Bytecode: Sendable {
  let bytes: [UInt8]
  let isTrusted: Bool

  /// Compiles a text in a new VM, with the globals of scripts.
  ///
  /// - Parameter showsLines: true if a syntax error shows the lines around it.
  package init(
    _ text: String, name: String, memoryLimit: Int = 0, showsLines: Bool = true
  ) throws(ScriptError) {
    let vm = try LuaVM(memoryLimit: memoryLimit)
    if showsLines { vm.texts[name] = text }
    try self.init(Array(text.utf8), name: name, isTrusted: false, in: vm)
  }

  private init(_ text: [UInt8], name: String, isTrusted: Bool, in vm: LuaVM) throws(ScriptError) {
    let function = try vm.load(text, name: name, trusted: isTrusted)
    var code = latch_bytes()
    try vm.check(latch_dump(vm.latch, function.number, isTrusted, &code))
    bytes = [UInt8](UnsafeRawBufferPointer(start: code.bytes, count: code.length))
    self.isTrusted = isTrusted
  }

  /// Compiles our own text, which has the globals of the prelude and no line numbers.
  init(own text: [UInt8], name: String, in vm: LuaVM) throws(ScriptError) {
    try self.init(text, name: name, isTrusted: true, in: vm)
  }

  /// Creates bytecode from our own code, which `scripts/preludes` has compiled.
  init(own code: some Sequence<UInt8>) {
    bytes = Array(code)
    isTrusted = true
  }
}
