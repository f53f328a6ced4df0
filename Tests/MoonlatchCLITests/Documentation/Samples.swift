import FlowHosting
import FlowKernel
import Foundation
import HostFiles
import Scenarios

/// Plays the samples of a page, one after the other, in a folder of their own.
///
/// - `lua`: a flow or a host file, which must load, or scenarios, which must pass. A first line such as
///   `-- door.lua` makes it that file, for the blocks below. The comment above may say
///   `with: LUA`, what stands before the block, `in a scenario of FILE`, whose body it is, or `from: FILE`, an excerpt.
/// - `console`: lines that begin with `$ ` are typed, the others are what they print. A line `...`
///   stands for any number of lines; a command that shows none must succeed. A prompt is played in
///   a terminal.
/// - `swift`: must stand in one of the tests' files, which are compiled and run.
/// - Other languages are not ours, and are not run.
struct Samples {
  static let foreign = ["text", "js", "elixir", "diff"]

  let page: Page
  let folder: TemporaryFolder

  init(_ page: Page) throws {
    self.page = page
    folder = try TemporaryFolder()
    for path in Page.files(below: "examples")
    where page.blocks.contains(where: {
      $0.text.contains("examples/" + path.prefix { $0 != "/" })
    }) {
      try folder.write(
        Data(contentsOf: Page.root.appending(path: "examples/" + path)), to: "examples/" + path)
    }
  }

  /// The faults of a block, each with its page and line.
  func problems(of block: Page.Block) -> [String] {
    let place = "\(page.name):\(block.line)"
    if block.language == "lua", let file = block.file { try? folder.write(block.text, to: file) }
    if let reason = block.reasonNotToRun {
      return reason.isEmpty ? ["\(place): say why it is not run"] : []
    }
    do {
      switch block.language {
      case "lua": return try problems(ofLua: block)
      case "console": return try ConsoleSample(block, of: page).problems(in: folder)
      case "swift": return SwiftSamples.contain(block) ? [] : ["\(place): no test has this text"]
      case let language where Samples.foreign.contains(language): return []
      case let language: return ["\(place): a block of \"\(language)\" says why it is not run"]
      }
    } catch {
      return ["\(place): \(error)"]
    }
  }

  private func problems(ofLua block: Page.Block) throws -> [String] {
    if let file = block.argument(of: "from:") {
      let url = Page.root.appending(path: page.name).deletingLastPathComponent()
      let text = try String(contentsOf: url.appending(path: file), encoding: .utf8)
      return Samples.isExcerpt(block.lines, of: text)
        ? [] : ["\(page.name):\(block.line): not in \(file)"]
    }
    if let flow = block.argument(of: "in a scenario of") {
      return try play(
        padded("flow \"\(flow)\" scenario(\"sample\", function()", block) + "end)\n",
        as: "line\(block.line).scenario.lua", block)
    }
    if block.text.contains(/(?m)^ *scenario\(/) {
      return try play(block.text, as: block.file ?? "line\(block.line).scenario.lua", block)
    }
    if let file = block.file, file.hasSuffix(".host.lua") {
      _ = try HostFile(folder.url.appending(path: file), reading: .names)
      return []
    }
    if block.lines.last?.hasPrefix("return ") == true { return [] }  // a module: its flow is loaded
    if let file = block.file {
      _ = try FlowHost(flow: folder.url.appending(path: file), options: quiet)
    } else {
      let text = padded(block.argument(of: "with:") ?? "", block)
      _ = try FlowHost(source: text, name: page.name, options: quiet)
    }
    return []
  }

  /// Returns true if the text contains the lines in sequence; indentation is ignored, and `...` matches any number of
  /// lines.
  static func isExcerpt(_ lines: [String], of text: String) -> Bool {
    func trimmed(_ lines: some Sequence<String>) -> [String] {
      lines.map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return ConsoleSample.matches(
      trimmed(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)),
      ["..."] + trimmed(lines) + ["..."])
  }

  /// The block at its own lines, so that errors name those of the page.
  private func padded(_ preamble: String, _ block: Page.Block) -> String {
    String(repeating: "\n", count: block.line - 2)
      + preamble.replacing("\n", with: " ") + "\n" + block.text
  }

  private var quiet: HostOptions {
    HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
  }

  private func play(_ text: String, as file: String, _ block: Page.Block) throws -> [String] {
    try folder.write(text, to: file)
    let report = TextReport()
    var told: [String] = []
    let summary = Runner(settings: PlaySettings()).run(Selection([file], in: folder.url)) {
      if !$0.isWell, let text = report.text(for: $0) { told.append(text) }
    }
    let isFine = summary.passed > 0 && summary.notWell == 0
    return isFine ? [] : ["\(page.name):\(block.line): " + told.joined(separator: "\n")]
  }
}

/// The Swift samples of the documentation, which are part of the tests too.
enum SwiftSamples {
  /// The tests' files, each as its lines without blank ones and indentation.
  private static let files: [String] = {
    let tests = Page.root.appending(path: "Tests")
    let paths = FileManager.default.enumerator(atPath: tests.path) ?? .init()
    return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.compactMap {
      (try? String(contentsOf: tests.appending(path: $0), encoding: .utf8)).map(essence)
    }
  }()

  /// Returns true if a file of the tests contains the block's lines in sequence; imports are ignored.
  static func contain(_ block: Page.Block) -> Bool {
    let text = essence(block.text)
    return files.contains { $0.contains(text) }
  }

  private static func essence(_ text: String) -> String {
    let lines = text.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    return "\n" + lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
      + "\n"
  }
}
