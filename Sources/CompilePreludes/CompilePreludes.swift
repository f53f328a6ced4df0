import Foundation
import PackagePlugin

/// Compiles the Lua of our own that a target embeds, once, while the package is built.
@main
struct CompilePreludes: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let texts = target.sourceFiles.map(\.url).filter { $0.pathExtension == "lua" }
      .sorted { $0.path < $1.path }
    guard !texts.isEmpty else { return [] }
    let output = context.pluginWorkDirectoryURL.appending(path: "CompiledPreludes.swift")
    return [
      .buildCommand(
        displayName: "Compiling the preludes of \(target.name)",
        executable: try context.tool(named: "PreludeCompiler").url,
        arguments: [output.path] + texts.map(\.path),
        inputFiles: texts, outputFiles: [output])
    ]
  }
}
