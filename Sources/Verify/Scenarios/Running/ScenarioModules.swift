import FlowLanguage
import LuaRuntime
import Platform

/// The modules that a file of scenarios or explorations may require.
///
/// They are the modules beside the file, then those of each folder above it, as far as the sandbox allows.
package struct ScenarioModules: Sendable {
  /// The path of the file.
  let path: String
  /// The name of the file in messages.
  let name: String
  let reach: PathSandbox

  /// Makes the modules of a file, within a sandbox.
  package init(path: String, name: String, reach: PathSandbox) {
    (self.path, self.name, self.reach) = (path, name, reach)
  }

  /// Makes the modules of an item's file.
  init(_ item: Selection.Item) {
    self.init(path: item.path, name: item.name, reach: item.reach)
  }

  /// Provides the modules to a VM, for `require`.
  package func provide(to vm: LuaVM) throws(ScriptError) {
    try vm.provide("declared_module") { [unowned vm] in
      answer($0.first?.stringValue ?? "", in: vm)
    }
  }

  /// Returns the module's text and the name of its file in messages; or nil and the reason that there is none.
  func answer(_ module: String, in vm: LuaVM) -> [Value] {
    do {
      let source = try source(named: module)
      vm.texts[source.name] = source.text
      return [.string(source.text), .string(source.name)]
    } catch {
      return [.nil, .string("\(error)")]
    }
  }

  /// The number of folders that are searched, from the file's own upwards.
  private static let deepest = 64

  private struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private func source(named module: String) throws -> FlowSources.Source {
    let file = module.split { $0 == "." || $0 == "/" }.joined(separator: "/") + ".lua"
    var above = ""
    for _ in 0..<ScenarioModules.deepest {
      let folder = ScenarioFile.sibling(above + "_", of: path)
      guard reach.holds(folder) else { break }
      if TextFile.kind(of: ScenarioFile.sibling(above + file, of: path)) == .file {
        let shown = ScenarioFile.sibling(above + "_", of: name)
        let sources = FlowSources(file: URL(filePath: folder), displayName: shown)
        return try sources.module(named: module)
      }
      if folder == "/_" { break }
      above += "../"
    }
    throw Missing(
      description: "module \(Value.quoted(module, limit: 60)): there is no "
        + "\(file) beside \(name), nor in a folder above it within "
        + reach.folders.joined(separator: ", "))
  }
}
