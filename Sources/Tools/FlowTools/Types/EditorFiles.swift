import FlowLanguage
import Platform

/// The files that make an editor and luacheck know a flow, by their paths in its folder.
package struct EditorFiles {
  package struct File: Sendable {
    package let path: String
    package let text: String
    /// Whether a file of this name may be the user's own.
    package let isUsers: Bool

    /// Whether what stands there already may be replaced.
    package func mayReplace(_ present: String) -> Bool {
      !isUsers || present == text || present.hasPrefix(EditorFiles.mark)
    }
  }

  package let files: [File]

  /// The first line of what is written anew each time.
  package static let mark = "-- Written by \"moonlatch types\""

  /// The files for some flows, in whose folder they are to be written.
  ///
  /// - Parameter stubs: for each flow's file the capabilities that scenarios stand in for.
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

  /// The definitions of the language alone, which no flow changes.
  package static var language: String {
    String(decoding: PackageResources.moonlatch_lua, as: UTF8.self)
  }

  /// What lua-language-server reads; every path is relative to its own folder.
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

  /// The capabilities that the scenario files beside a flow stand in for, as `scope.name`.
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
