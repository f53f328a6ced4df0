/// An error in a script: its message, its position, and the calls that led to it.
///
/// `description` is the complete report for people; the properties are for programs.
public struct ScriptError: Error, Sendable, Hashable {
  /// The kind of an error.
  public enum Kind: String, Sendable, Codable {
    /// The text is not Lua.
    case syntax
    /// The script raised an error.
    case runtime
    /// A limit was reached, or the host interrupted the run.
    case limit
    /// The memory limit was reached.
    case memory
  }

  /// The kind of the error.
  public var kind: Kind
  /// The message, without the position.
  public var message: String
  /// The file of the script line that failed, as it was named when it was loaded.
  public var chunk: String?
  /// The line in that file, counted from 1.
  public var line: Int?
  /// The calls that led to the error, innermost first, without the host's own frames.
  public var traceback: [String]
  /// The line and its neighbours, numbered, with the line itself marked; empty if the text is not known.
  public var excerpt: [String] = []
  /// True for a syntax error that more input may correct, as at a prompt.
  public var isIncomplete: Bool
  /// The error value, if the script raised a table of plain data.
  public var value: Value?
  /// True if the script raised the error by `error` or `assert`, or a capability threw it.
  ///
  /// Any other error is a fault of the script itself.
  public var isRaised = false

  /// Creates an error; parameters that are left out are empty.
  public init(
    kind: Kind, message: String, chunk: String? = nil, line: Int? = nil, traceback: [String] = [],
    isIncomplete: Bool = false, value: Value? = nil
  ) {
    self.kind = kind
    self.message = message
    self.chunk = chunk
    self.line = line
    self.traceback = traceback
    self.isIncomplete = isIncomplete
    self.value = value
  }

  /// The position as `file:line`, or an empty text if there is none.
  public var place: String {
    guard let chunk else { return "" }
    return line.map { "\(chunk):\($0)" } ?? chunk
  }

  /// The position and the message, on one line.
  public var summary: String { place.isEmpty ? message : "\(place): \(message)" }
}

extension ScriptError {
  /// The summary, the source lines, and the calls unless they add nothing to the position.
  public var report: String {
    let isTold = traceback.count == 1 && traceback[0].hasPrefix("\(place): ")
    // A message of several lines goes on below the source.
    let lines = summary.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let calls = isTold ? [] : traceback.map { "    " + $0 }
    return
      (lines.prefix(1).map(String.init) + excerpt.map { "    " + $0 }
      + lines.dropFirst().map(String.init) + calls).joined(separator: "\n")
  }
}

extension ScriptError: CustomStringConvertible {
  /// The summary, then the traceback, one call per line.
  public var description: String {
    traceback.isEmpty
      ? summary : summary + "\n" + traceback.map { "    " + $0 }.joined(separator: "\n")
  }
}
