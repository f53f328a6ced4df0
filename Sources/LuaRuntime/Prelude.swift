/// Lua of our own that runs in a VM before any script does, compiled once a process.
package struct Prelude: Sendable {
  /// How tracebacks name it, and whose frames they leave out.
  static let name = "=[moonlatch]"

  private let chunks: Result<[Bytecode], ScriptError>

  /// Compiles its texts, in the order in which they run.
  package init(_ texts: [[UInt8]]) {
    chunks = Result { () throws(ScriptError) in
      try Bytecode.compile(texts, name: Prelude.name)
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
