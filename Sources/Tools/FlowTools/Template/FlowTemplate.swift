import FlowKernel

/// The files of a new flow: the flow, a scenario, a README and editor settings.
package struct FlowTemplate {
  /// The files, by their paths in the new folder.
  package let files: [EditorFiles.File]

  /// Makes the files of a flow of that name.
  ///
  /// - Throws: `FlowError` or `ScriptError`, which would be a bug in the template.
  package init(name: String) throws {
    func text(_ template: [UInt8]) -> String {
      String(decoding: template, as: UTF8.self)
        .split(separator: "{name}", omittingEmptySubsequences: false).joined(separator: name)
    }
    func file(_ path: String, _ text: String) -> EditorFiles.File {
      EditorFiles.File(path: path, text: text, isUsers: true)
    }
    let flow = text(PackageResources.new_lua)
    let loaded = try LoadedFlow(source: flow, name: "\(name).lua")
    files =
      [
        file("\(name).lua", flow),
        file("\(name).scenario.lua", text(PackageResources.new_scenario_lua)),
        file("README.md", text(PackageResources.new_md)),
      ] + (try EditorFiles([FlowText(loaded)]).files)
  }

  /// Returns the error message for a name that a flow cannot have; nil for a valid name.
  package static func problem(with name: String) -> String? {
    let isFine =
      name.utf8.first.map { $0 != UInt8(ascii: "-") } == true
      && name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || (48...57).contains(byte)
          || (65...90).contains(byte) || (97...122).contains(byte)
      }
    return isFine
      ? nil : "a flow's name has letters, digits, _ and - only, and does not begin with -"
  }
}
