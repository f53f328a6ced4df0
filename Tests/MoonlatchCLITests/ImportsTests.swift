import Foundation
import Testing

@Suite("The sources of the command")
struct ImportsTests {
  private static let modules = [
    "Platform", "LuaRuntime", "Moonlatch", "Scenarios", "XMLStream", "EventLogs", "FlowTools",
    "MoonlatchCLI", "StateBlocks", "FlowJournal", "SharedCommands",
  ]

  @Test(
    "import zlib, expat, the client of HTTP and processes only in the modules for logs, XML and tasks"
  )
  func archives() throws {
    let sources = Page.root.appending(path: "Sources")
    let importers = [
      "CExpat": ["XMLStream"], "CZlib": ["EventLogs"], "EventLogs": ["MoonlatchCLI"],
      "AsyncHTTPClient": ["HTTPTasks"], "HTTPTasks": ["CommandTasks", "ServeCLI"],
      "Subprocess": ["CommandTasks"], "CommandTasks": ["ServeCLI"],
    ]
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    )
    .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    for file in files {
      // Indented behind a trait.
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      for (library, modules) in importers where lines.contains("import \(library)") {
        #expect(modules.contains { file.path.contains("/\($0)/") }, "\(file.path)")
      }
    }
  }

  /// The whole of Foundation brings ICU and CoreFoundation with it: 40 MB that each start pays for.
  @Test("import all of Foundation only if no smaller module suffices", arguments: modules)
  func foundation(module: String) throws {
    let sources = Page.root.appending(path: "Sources")
    let folder = try #require(
      FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        .map { $0.appending(path: module) }
        .first { FileManager.default.fileExists(atPath: $0.path) })
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    )
    .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    #expect(!files.isEmpty)
    for file in files {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      // Indented: the other branch of a condition.
      #expect(!lines.contains("import Foundation"), "\(file.lastPathComponent)")
    }
  }
}
