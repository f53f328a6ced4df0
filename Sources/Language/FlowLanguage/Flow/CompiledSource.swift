import LuaRuntime

/// The compiled text of a flow's file or of a module.
package struct CompiledSource: Sendable {
  package let source: FlowSources.Source
  package let code: Bytecode

  /// Creates the source of a document's functions, which are compiled from a text of their own.
  package init(source: FlowSources.Source, code: Bytecode) {
    (self.source, self.code) = (source, code)
  }

  /// Compiles a source.
  ///
  /// - Throws: a `ScriptError` with file and line if it is not Lua.
  package init(_ source: FlowSources.Source, limits: Limits) throws(ScriptError) {
    self.source = source
    code = try Bytecode(
      source.text, name: source.name, memoryLimit: limits.memory, showsLines: source.showsLines)
  }
}

/// The modules that a flow required, by the names in its `require` calls.
package struct CompiledModules: Sendable {
  package private(set) var byName: [String: CompiledSource] = [:]
  /// The texts, in the order in which they were first required.
  package private(set) var files: [FlowSources.Source] = []

  /// Adds a text beside a document.
  package mutating func add(_ text: FlowSources.Source) { files.append(text) }

  package mutating func add(_ module: CompiledSource, as name: String) {
    byName[name] = module
    files.append(module.source)
  }

  /// Returns the answer to `host.load_module`.
  package func answer(_ name: String, in vm: LuaVM) throws -> [Value] {
    guard let module = byName[name] else {
      throw FlowSources.Refused(
        description: "module \"\(name)\" was not loaded with the flow")
    }
    return [.integer(Int(try vm.load(module.code).number)), .string(module.source.name)]
  }
}
