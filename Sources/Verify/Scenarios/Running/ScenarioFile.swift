import FlowLanguage
import FlowTools
import LuaRuntime
import Platform

/// A scenario file and the scenarios that it declares.
package struct ScenarioFile: Sendable {
  /// One scenario.
  package struct Entry: Sendable {
    /// Its name.
    package let name: String
    /// The line of the `scenario` call.
    package let line: Int
    /// The last line of its function.
    package let lastLine: Int
    /// Its tags.
    package let tags: [String]
    /// The reason that the scenario is skipped, or nil.
    package let skip: String?
    /// Its number in the file, counted from 1.
    package let index: Int

    /// True if the scenario makes real calls.
    var isLive: Bool { tags.contains(ScenarioRecord.liveTag) }

    /// Returns the reason for which a run with these settings skips the scenario; nil if it is played.
    package func reasonToSkip(_ settings: PlaySettings) -> String? {
      if let skip { return skip }
      return isLive && settings.live == nil ? "tag live: --live makes its real calls" : nil
    }
  }

  /// The name of the file in messages.
  package let name: String
  /// The path of the file.
  package let path: String
  /// The path of the flow that the file plays.
  package let flow: String
  /// The name of the flow in messages.
  package let flowName: String
  /// The names in messages of the modules that the file requires when it is loaded.
  package let modules: [String]
  /// The scenarios in the order of the file.
  package let entries: [Entry]
  let text: String

  /// Reads the file and runs it once to learn which scenarios it declares.
  ///
  /// No flow is loaded.
  ///
  /// - Parameters:
  ///   - name: the name of the file in messages; other files are named relative to it.
  ///   - reach: the sandbox in which the flow has to be; nil for that of the file's name
  ///     (`PathSandbox.init(ofFile:named:)`).
  /// - Throws: `FlowError` with every fault; `ScriptError` if the file raised an error or reached a limit.
  package init(_ url: URL, name: String, reach: PathSandbox? = nil, limits: Limits = Limits())
    throws
  {
    try self.init(path: url.path, name: name, reach: reach, limits: limits)
  }

  /// Reads which flow a scenario file plays, for tools that check the file without playing it.
  package static func readFlow(of file: URL, name: String, reach: PathSandbox?) throws
    -> ScenarioFlow
  {
    let file = try ScenarioFile(file, name: name, reach: reach)
    return ScenarioFlow(path: file.flow, name: file.flowName)
  }

  /// Reads the file at a path.
  package init(
    path: String, name: String, reach: PathSandbox? = nil, limits: Limits = Limits()
  ) throws {
    let text = try ScenarioFile.read(path, name: name)
    let reach = reach ?? PathSandbox(ofFile: path, named: name)
    let modules = ScenarioModules(path: path, name: name, reach: reach)
    try self.init(
      path: path, name: name, text: text,
      described: try ScenarioVM.list(text, name: name, modules: modules, limits: limits),
      reach: reach)
  }

  /// Reads the file of an item.
  package init(_ item: Selection.Item, limits: Limits = Limits()) throws {
    try self.init(path: item.path, name: item.name, reach: item.reach, limits: limits)
  }

  /// Makes a file of its text and of what running it declared.
  ///
  /// - Parameter reach: the sandbox in which the flow has to be; nil if the flow has been found already.
  init(path: String, name: String, text: String, described: Value, reach: PathSandbox?) throws {
    var faults = (described["faults"]?.listValue ?? []).map { Diagnostic($0, in: name) }
    let written = described["flow"]?.stringValue
    if written == nil && faults.isEmpty {
      faults.append(
        Diagnostic(file: name, line: 1, message: "say which flow this plays: flow \"name.lua\""))
    }
    guard faults.isEmpty, let written else { throw FlowError(faults) }
    self.name = name
    self.path = path
    self.text = text
    modules = (described["modules"]?.listValue ?? []).compactMap(\.stringValue)
    (flow, flowName) = ScenarioFile.flow(written, beside: path, named: name)
    entries = (described["scenarios"]?.listValue ?? []).enumerated().map { index, entry in
      Entry(
        name: entry["name"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0,
        lastLine: entry["last_line"]?.integerValue ?? 0,
        tags: (entry["tags"]?.listValue ?? []).compactMap(\.stringValue),
        skip: entry["skip"]?.stringValue, index: index + 1)
    }
    if let reach, let message = ScenarioFile.problem(with: flow, named: flowName, within: reach) {
      throw FlowError([
        Diagnostic(file: name, line: described["flow_line"]?.integerValue ?? 0, message: message)
      ])
    }
  }

  /// Returns the scenarios that a line selects: those that begin on the last such line at or before it.
  ///
  /// A loop or a helper function declares several scenarios on one line.
  func entries(atLine line: Int) -> [Entry] {
    guard line <= lineCount, let start = entries.map(\.line).filter({ $0 <= line }).max() else {
      return []
    }
    return entries.filter { $0.line == start }
  }

  /// The lines of the file, with any line ending.
  var lines: [Substring] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private var lineCount: Int { lines.count }

  /// Returns the reason that the flow of a file cannot be loaded, or nil if there is none.
  package static func problem(
    with flow: String, named flowName: String, within reach: PathSandbox
  ) -> String? {
    if let problem = reach.problem(with: flow, named: flowName) { return problem }
    guard TextFile.kind(of: flow) == nil else { return nil }
    let (folder, own) = split(flow)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter {
        FlowFile.isFlow($0) && !$0.hasSuffix(FlowFile.scenarioSuffix)
          && !$0.hasSuffix(FlowFile.explorationSuffix) && !$0.hasSuffix(FlowFile.hostFileSuffix)
      }
    return "there is no flow \(flowName)"
      + Names.suggestion(for: own, among: names)
  }

  static func read(_ path: String, name: String) throws -> String {
    guard name.hasSuffix(FlowFile.scenarioSuffix) else {
      throw FlowError([
        Diagnostic(
          file: name, line: 0,
          message: "this is not a scenario file: their names end in \(FlowFile.scenarioSuffix) "
            + "(a flow is played with \"moonlatch repl\")")
      ])
    }
    do {
      return try TextFile.read(path, name: name)
    } catch {
      throw FlowError([Diagnostic(file: name, line: 0, message: error.reason)])
    }
  }

  /// Returns the path of the flow that a scenario file names, and its name in messages.
  package static func flow(
    _ written: String, beside file: String, named name: String
  ) -> (String, String) {
    written.hasPrefix("/")
      ? (written, written) : (sibling(written, of: file), sibling(written, of: name))
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  /// Returns a path relative to a file, written as that file's name is.
  static func sibling(_ path: String, of name: String) -> String {
    if isPlain(path) {
      guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
      return name[...slash] + path
    }
    var parts = name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    for part in path.split(separator: "/") {
      if part == "..", let last = parts.last, last != "..", last != "" {
        parts.removeLast()
      } else if part != "." {
        parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }

  /// Returns true if the path has no parts to drop: `.`, `..` or empty ones.
  private static func isPlain(_ path: String) -> Bool {
    var startsPart = true
    for byte in path.utf8 {
      if startsPart && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")) { return false }
      startsPart = byte == UInt8(ascii: "/")
    }
    return !startsPart
  }
}
