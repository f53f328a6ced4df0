import LuaRuntime
import Moonlatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A scenario file and the scenarios that it declares.
public struct ScenarioFile: Sendable {
  /// One scenario.
  public struct Entry: Sendable {
    /// Its name.
    public let name: String
    /// The line of the `scenario` call.
    public let line: Int
    /// The last line of its function.
    public let lastLine: Int
    /// Its tags.
    public let tags: [String]
    /// Why it is skipped, or nil.
    public let skip: String?
    /// Its number in the file, counted from 1.
    let index: Int
  }

  /// How messages name the file.
  public let name: String
  /// The file.
  public let url: URL
  /// The flow that it plays.
  public let flow: URL
  /// How messages name the flow.
  let flowName: String
  /// The scenarios in the order of the file.
  public let entries: [Entry]
  let text: String

  /// Reads the file and runs it once, to learn which scenarios it declares. No flow is loaded.
  ///
  /// - Parameter name: how messages name the file; other files are named relative to the same place.
  /// - Throws: `FlowError` with every fault; `ScriptError` when a limit ended the loading.
  public init(_ url: URL, name: String, limits: Limits = Limits()) throws {
    let text = try ScenarioFile.read(url, name: name)
    let described = try ScenarioVM.list(text, name: name, limits: limits)
    var faults = (described["faults"]?.listValue ?? []).map {
      Fault(
        file: $0["file"]?.stringValue ?? name, line: $0["line"]?.integerValue ?? 0,
        message: $0["message"]?.stringValue ?? "")
    }
    let flowPath = described["flow"]?.stringValue
    if flowPath == nil && faults.isEmpty {
      faults.append(
        Fault(file: name, line: 1, message: "say which flow this plays: flow \"name.lua\""))
    }
    guard faults.isEmpty, let flowPath else { throw FlowError(faults) }
    self.name = name
    self.url = url
    self.text = text
    let isAbsolute = flowPath.hasPrefix("/")
    flow =
      isAbsolute
      ? URL(filePath: flowPath)
      : url.deletingLastPathComponent().appending(path: flowPath).standardizedFileURL
    flowName = isAbsolute ? flowPath : ScenarioFile.sibling(flowPath, of: name)
    entries = (described["scenarios"]?.listValue ?? []).enumerated().map { index, entry in
      Entry(
        name: entry["name"]?.stringValue ?? "", line: entry["line"]?.integerValue ?? 0,
        lastLine: entry["last_line"]?.integerValue ?? 0,
        tags: (entry["tags"]?.listValue ?? []).compactMap(\.stringValue),
        skip: entry["skip"]?.stringValue, index: index + 1)
    }
  }

  private static func read(_ url: URL, name: String) throws -> String {
    do {
      return try TextFile.read(url, name: name)
    } catch {
      throw FlowError([Fault(file: name, line: 0, message: error.reason)])
    }
  }

  /// A path relative to a file, written as that file's name is.
  private static func sibling(_ path: String, of name: String) -> String {
    var parts = name.split(separator: "/", omittingEmptySubsequences: false).dropLast().map(String.init)
    for part in path.split(separator: "/") {
      if part == "..", let last = parts.last, last != "..", last != "" {
        parts.removeLast()
      } else if part != "." {
        parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }
}
