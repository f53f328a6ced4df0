import LuaRuntime

/// The compiled text of a flow's file or of a module.
package struct CompiledSource: Sendable {
  package let source: FlowSources.Source
  package let code: Bytecode

  /// The bytecode of a document's functions, which stand in a text of their own.
  package init(source: FlowSources.Source, code: Bytecode) {
    (self.source, self.code) = (source, code)
  }

  /// Throws a `ScriptError` that names file and line for what is not Lua.
  package init(_ source: FlowSources.Source, limits: Limits) throws(ScriptError) {
    self.source = source
    code = try Bytecode(
      source.text, name: source.name, memoryLimit: limits.memory, showsLines: source.showsLines)
  }
}

/// The modules that a flow required, by the names that it gave them.
package struct CompiledModules: Sendable {
  package private(set) var byName: [String: CompiledSource] = [:]
  /// In the order in which they were first required.
  package private(set) var files: [FlowSources.Source] = []

  /// A text beside a document.
  package mutating func add(_ text: FlowSources.Source) { files.append(text) }

  package mutating func add(_ module: CompiledSource, as name: String) {
    byName[name] = module
    files.append(module.source)
  }

  /// The answer to `host.load_module`.
  package func answer(_ name: String, in vm: LuaVM) throws -> [Value] {
    guard let module = byName[name] else {
      throw FlowSources.Refused(
        description: "module \"\(name)\" was not there when the flow loaded")
    }
    return [.integer(Int(try vm.load(module.code).number)), .string(module.source.name)]
  }
}
