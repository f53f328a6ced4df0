/// One thing that is wrong with a flow or a scenario file, found while it loads.
public struct Diagnostic: Sendable, Hashable {
  /// The file, as it was named when it was loaded.
  public var file: String
  /// The line, counted from 1; 0 where the fault is the file's as a whole.
  public var line: Int
  /// What is wrong and, where there is one, what to write instead.
  public var message: String
  /// The line with its neighbours, numbered, the line itself marked; empty where the text is not
  /// known.
  public var excerpt: [String] = []

  /// Makes a fault.
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

/// A flow that could not be loaded, with all of its faults.
public struct FlowError: Error, Sendable, CustomStringConvertible {
  /// Every fault, in the order of file and line.
  public let faults: [Diagnostic]

  /// Makes an error of the faults, sorted by place.
  public init(_ faults: [Diagnostic]) {
    self.faults = faults.sorted {
      ($0.file, $0.line, $0.message) < ($1.file, $1.line, $1.message)
    }
  }

  /// The faults with the source lines at which they were found.
  public var report: String {
    faults.map { ([$0.description] + $0.excerpt.map { "    " + $0 }).joined(separator: "\n") }
      .joined(separator: "\n")
  }

  /// The faults, one a line.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
