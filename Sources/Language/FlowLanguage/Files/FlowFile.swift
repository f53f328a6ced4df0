/// The names of files with flows: Lua, or SCXML documents.
package enum FlowFile {
  /// How they end, with the dot.
  package static let suffixes = [".lua", suffixOfDocuments]
  package static let suffixOfDocuments = ".scxml"
  /// The end of the name of every scenario file.
  package static let scenarioSuffix = ".scenario.lua"
  /// The end of the name of every file that says what is explored of a flow.
  package static let explorationSuffix = ".explore.lua"

  /// True if a file is a flow's by its name.
  package static func isFlow(_ path: String) -> Bool { suffixes.contains { path.hasSuffix($0) } }

  /// The name of a flow's file, without folder and ending.
  package static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let suffix = suffixes.first { name.hasSuffix($0) } ?? ""
    return String(name.dropLast(suffix.count))
  }
}
