/// Something that went wrong in a script: its text, its place, and how it came there.
///
/// `description` is the whole report for people; the fields are for programs.
public struct ScriptError: Error, Sendable, Hashable {
  /// What kind of failure this is.
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

  /// What kind of failure this is.
  public var kind: Kind
  /// What happened, without the place.
  public var message: String
  /// The file of the script line that failed, as it was named when it was loaded.
  public var chunk: String?
  /// The line in that file, counted from 1.
  public var line: Int?
  /// The calls that led there, innermost first, without the host's own frames.
  public var traceback: [String]
  /// The line with its neighbours, numbered, the line itself marked; empty where the text is not
  /// known.
  public var excerpt: [String] = []
  /// For a syntax error: whether more input may mend it, as at a prompt.
  public var isIncomplete: Bool
  /// The fields of the error value, when the script raised a table of plain data.
  public var value: Value?
  /// True if the script raised it by `error` or `assert`, or a capability threw it.
  ///
  /// Any other error is a fault of the script itself.
  public var isRaised = false

  /// Makes an error; what is left out is empty.
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

  /// `file:line`, or the empty text where there is no place.
  public var place: String {
    guard let chunk else { return "" }
    return line.map { "\(chunk):\($0)" } ?? chunk
  }

  /// One line: the place and the message.
  public var summary: String { place.isEmpty ? message : "\(place): \(message)" }
}

extension ScriptError {
  /// The summary, the source lines, and the calls that led there where there is more to them than
  /// the place.
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
  /// The summary, then the traceback, one call a line.
  public var description: String {
    traceback.isEmpty
      ? summary : summary + "\n" + traceback.map { "    " + $0 }.joined(separator: "\n")
  }
}
