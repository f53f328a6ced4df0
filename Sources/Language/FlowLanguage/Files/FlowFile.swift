/// The names of files with flows, which are Lua files or SCXML documents.
package enum FlowFile {
  /// The file name extensions, with the dot.
  package static let suffixes = [".lua", suffixOfDocuments]
  package static let suffixOfDocuments = ".scxml"
  /// The file name extension of scenario files.
  package static let scenarioSuffix = ".scenario.lua"
  /// The file name extension of files that specify explorations of a flow.
  package static let explorationSuffix = ".explore.lua"
  /// The file name extension of files that say who performs the capabilities of a flow.
  package static let hostFileSuffix = ".host.lua"

  /// Returns true if the path is named like a flow's file.
  package static func isFlow(_ path: String) -> Bool { suffixes.contains { path.hasSuffix($0) } }

  /// Returns the name of a flow's file without folder and extension.
  package static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let suffix = suffixes.first { name.hasSuffix($0) } ?? ""
    return String(name.dropLast(suffix.count))
  }
}
