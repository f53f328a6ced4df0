import CLatch

/// Lua of our own that runs in a VM before any script does.
package struct Prelude: Sendable {
  /// A part of it, as the build embeds it.
  package struct Chunk: Sendable {
    let text: [UInt8]
    let code: [UInt8]
    let compiler: String

    /// The text, the code that it was compiled to, and the name of the Lua that did it.
    ///
    /// The code is as Lua wrote it: it is not checked when it is loaded.
    package init(text: [UInt8], code: [UInt8], compiler: String) {
      self.text = text
      self.code = code
      self.compiler = compiler
    }

    /// The code, which is compiled again when the Lua library is not the one that the build had.
    func bytecode(in vm: () throws(ScriptError) -> LuaVM) throws(ScriptError) -> Bytecode {
      guard compiler != Prelude.compiler else { return Bytecode(own: code) }
      return try Bytecode(own: text, name: Prelude.name, in: try vm())
    }
  }

  /// How tracebacks name it, and whose frames they leave out.
  static let name = "=[moonlatch]"
  /// What the Lua library of this process calls itself, with its release.
  static let compiler = String(cString: latch_lua_release())

  private let chunks: Result<[Bytecode], ScriptError>

  /// Takes its chunks in the order in which they run.
  package init(_ chunks: Chunk...) {
    self.chunks = Result { () throws(ScriptError) in
      var vm: LuaVM?
      func compiling() throws(ScriptError) -> LuaVM {
        let compiling = if let vm { vm } else { try LuaVM(memoryLimit: 0) }
        vm = compiling
        return compiling
      }
      return try chunks.map { (chunk) throws(ScriptError) in try chunk.bytecode(in: compiling) }
    }
  }

  /// Runs it in a VM.
  package func run(in vm: LuaVM, phase: Phase, budget: Int) throws(ScriptError) {
    for code in try chunks.get() {
      let chunk = try vm.load(code)
      try vm.call(chunk, phase: phase, budget: budget)
      vm.release(chunk)
    }
  }
}
