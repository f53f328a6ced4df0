import LuaRuntime
import Scenarios

/// The dependencies of each scenario file: itself, its flow, and the modules that either requires.
struct Affected {
  private var dependencies: [String: Set<String>] = [:]
  /// The scenario files whose flow is not known, because something cannot be loaded.
  private var unknown: Set<String> = []

  init(_ selection: Selection, limits: Limits) {
    let flows = FlowCache()
    for item in selection.items where item.problem == nil {
      dependencies[item.name] = [item.name]
      guard let file = try? ScenarioFile(item, limits: limits) else {
        unknown.insert(item.name)
        continue
      }
      dependencies[item.name]?.insert(file.flowName)
      dependencies[item.name]?.formUnion(file.modules)
      if let files = try? flows.files(of: file, limits: limits) {
        dependencies[item.name]?.formUnion(files)
      } else {
        unknown.insert(item.name)
      }
    }
  }

  /// All files that some scenario file depends on.
  var files: Set<String> { dependencies.values.reduce(into: []) { $0.formUnion($1) } }

  /// Returns the scenario files that changes affect, by their current or their former dependencies.
  ///
  /// A file that could not be loaded is always affected, because any change may have fixed it.
  func scenarioFiles(touchedBy changed: Set<String>, before: Affected) -> [String] {
    dependencies.keys.filter { name in
      unknown.contains(name) || before.unknown.contains(name)
        || !(dependencies[name] ?? []).isDisjoint(with: changed)
        || !(before.dependencies[name] ?? []).isDisjoint(with: changed)
    }.sorted()
  }
}
