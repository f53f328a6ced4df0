import CLatch

/// A part of the flow language written in Lua, which runs in a VM before any script.
package struct Prelude: Sendable {
  /// A chunk of the prelude, as the package embeds it, compiled by `scripts/preludes`.
  package struct Chunk: Sendable {
    let text: [UInt8]
    let code: [UInt8]

    /// Creates a chunk of its text and its compiled code, which is followed by the digest of the text.
    ///
    /// Every release of Lua 5.4 reads the same code. The code is not checked when it is loaded.
    package init(text: [UInt8], code: [UInt8]) {
      self.text = text
      self.code = code
    }

    /// True if the code was compiled from this text, and not from an older version of it.
    var isCurrent: Bool { code.suffix(Chunk.digestLength).elementsEqual(Chunk.digest(of: text)) }

    /// Returns the compiled code, or compiles the text if it has changed.
    func bytecode(in vm: () throws(ScriptError) -> LuaVM) throws(ScriptError) -> Bytecode {
      guard !isCurrent else { return Bytecode(own: code.dropLast(Chunk.digestLength)) }
      return try Bytecode(own: text, name: Prelude.name, in: try vm())
    }

    private static let digestLength = 8

    /// Returns the digest of a text, as `scripts/preludes` computes it.
    static func digest(of text: [UInt8]) -> [UInt8] {
      var hash = UInt64(text.count)
      text.withUnsafeBytes { bytes in
        for place in stride(from: 0, to: bytes.count, by: 8) {
          var word: UInt64 = 0
          withUnsafeMutableBytes(of: &word) {
            $0.copyMemory(from: .init(rebasing: bytes[place..<min(place + 8, bytes.count)]))
          }
          hash = (hash ^ UInt64(littleEndian: word)) &* 0x100_0000_01b3
          hash ^= hash >> 32
        }
      }
      return withUnsafeBytes(of: hash.littleEndian) { [UInt8]($0) }
    }
  }

  /// The name of its chunks in tracebacks, from which their frames are removed.
  static let name = "=[moonlatch]"

  private let chunks: Result<[Bytecode], ScriptError>

  /// Creates a prelude of its chunks, in the order in which they run.
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

  /// Runs the prelude in a VM.
  package func run(in vm: LuaVM, phase: Phase, budget: Int) throws(ScriptError) {
    for code in try chunks.get() {
      let chunk = try vm.load(code)
      try vm.call(chunk, phase: phase, budget: budget)
      vm.release(chunk)
    }
  }
}
