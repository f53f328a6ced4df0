/// A fault of a flow or a scenario file, found while it is loaded.
public struct Diagnostic: Sendable, Hashable {
  /// The file, as it was named when it was loaded.
  public var file: String
  /// The line, counted from 1; 0 if the fault is that of the whole file.
  public var line: Int
  /// The description of the fault and, if there is one, the correction.
  public var message: String
  /// The line and its neighbours, numbered, with the line itself marked; empty if the text is not known.
  public var excerpt: [String] = []

  /// Creates a diagnostic.
  public init(file: String, line: Int, message: String) {
    self.file = file
    self.line = line
    self.message = message
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line: message`.
  public var description: String {
    line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)"
  }
}

/// An error for a flow that could not be loaded, with all of its faults.
public struct FlowError: Error, Sendable, CustomStringConvertible {
  /// All faults, sorted by file and line.
  public let faults: [Diagnostic]

  /// Creates an error of the faults, which are sorted.
  public init(_ faults: [Diagnostic]) {
    self.faults = faults.sorted {
      ($0.file, $0.line, $0.message) < ($1.file, $1.line, $1.message)
    }
  }

  /// The faults, with the source lines at which they were found.
  public var report: String {
    faults.map { ([$0.description] + $0.excerpt.map { "    " + $0 }).joined(separator: "\n") }
      .joined(separator: "\n")
  }

  /// The faults, one per line.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
