import FlowLanguage
import Platform

/// The files that describe a flow to an editor and to luacheck, by their paths in its folder.
package struct EditorFiles {
  package struct File: Sendable {
    package let path: String
    package let text: String
    /// True if a file of this name may belong to the user.
    package let isUsers: Bool

    /// Returns true if a file with the present text may be overwritten.
    package func mayReplace(_ present: String) -> Bool {
      !isUsers || present == text || present.hasPrefix(EditorFiles.mark)
    }
  }

  package let files: [File]

  /// The first line of generated files.
  package static let mark = "-- Written by \"moonlatch types\""

  /// Makes the files for some flows, to be written into the flows' folder.
  ///
  /// - Parameter stubs: the capabilities that scenarios stub, by the flow's file.
  package init(_ flows: [FlowText], stubs: [String: Set<String>] = [:]) throws {
    var files = [
      File(path: "\(EditorFiles.library)/moonlatch.lua", text: EditorFiles.language, isUsers: false)
    ]
    for text in flows {
      files.append(
        File(
          path: "\(EditorFiles.library)/flows/\(FlowDefinitions.stem(of: text.flow.file)).lua",
          text: try FlowDefinitions.text(text, stubs: stubs[text.flow.file] ?? []), isUsers: false))
    }
    files.append(File(path: ".luarc.json", text: EditorFiles.settings, isUsers: true))
    files.append(
      File(path: ".luacheckrc", text: LuacheckStandard.text(flows.map(\.flow)), isUsers: true))
    self.files = files
  }

  private static let library = ".moonlatch/library"

  /// The definitions of the language itself, which are the same for all flows.
  package static var language: String {
    String(decoding: PackageResources.moonlatch_lua, as: UTF8.self)
  }

  /// The settings of lua-language-server, in which every path is relative to its own folder.
  package static let settings = """
    {
      "runtime.version": "Lua 5.4",
      "runtime.path": ["?.lua"],
      "runtime.builtin": {
        "io": "disable",
        "os": "disable",
        "package": "disable",
        "debug": "disable"
      },
      "workspace.library": [".moonlatch/library"],
      "workspace.checkThirdParty": false,
      "diagnostics.disable": ["missing-fields"]
    }

    """

  /// Returns the capabilities that the scenario files in a flow's folder stub, as `scope.name`.
  package static func stubs(
    beside flow: URL, readFlow: ScenarioFlow.Reader
  ) -> Set<String> {
    let folder = flow.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var stubs: Set<String> = []
    for name in names where name.hasSuffix(FlowFile.scenarioSuffix) {
      let file = folder.appending(path: name)
      guard let played = try? readFlow(file, name, nil),
        URL(filePath: played.path).resolvingSymlinksInPath().path
          == flow.resolvingSymlinksInPath().path,
        let source = try? ScenarioSource(file, name: name)
      else { continue }
      stubs.formUnion(source.stubs)
    }
    return stubs
  }
}
