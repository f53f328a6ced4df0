import FlowLanguage
import LuaRuntime
import Platform

/// The modules that a scenario file, or one of explorations, may require: those beside it, then those of each folder above, as
/// far as the words of a script reach.
package struct ScenarioModules: Sendable {
  /// The file.
  let path: String
  /// How messages name it.
  let name: String
  let reach: PathSandbox

  /// Those of a file, as far as its words reach.
  package init(path: String, name: String, reach: PathSandbox) {
    (self.path, self.name, self.reach) = (path, name, reach)
  }

  /// Those of the file of an item.
  init(_ item: Selection.Item) {
    self.init(path: item.path, name: item.name, reach: item.reach)
  }

  /// Lends them to a VM, for `require`.
  package func provide(to vm: LuaVM) throws(ScriptError) {
    try vm.provide("declared_module") { [unowned vm] in
      answer($0.first?.stringValue ?? "", in: vm)
    }
  }

  /// The module's text and how messages name its file; or nothing, and why there is none.
  func answer(_ module: String, in vm: LuaVM) -> [Value] {
    do {
      let source = try source(named: module)
      vm.texts[source.name] = source.text
      return [.string(source.text), .string(source.name)]
    } catch {
      return [.nil, .string("\(error)")]
    }
  }

  /// So many folders are looked at, from the file's own up.
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
