import Platform

/// The lines that scripts printed during one scenario, stored until they are reported; of many only the first.
final class PrintedLines: Sendable {
  private struct Kept: Sendable {
    var lines: [String] = []
    var leftOut = 0
  }

  /// The number of lines that are stored, and the number of characters of each.
  static let mostLines = 200
  static let longestLine = 1_000

  private let kept: Mutex<Kept>

  init() { kept = Mutex(Kept()) }

  /// Makes a copy of another one's lines, to add to them.
  init(_ other: PrintedLines) { kept = Mutex(other.kept.withLock { $0 }) }

  func add(_ text: String) {
    kept.withLock { kept in
      for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
        if kept.lines.count == PrintedLines.mostLines {
          kept.leftOut += 1
        } else {
          kept.lines.append(PrintedLines.shortened(line))
        }
      }
    }
  }

  /// The lines, with a last one that counts those that were left out.
  var lines: [String] {
    kept.withLock { kept in
      switch kept.leftOut {
      case 0: kept.lines
      case 1: kept.lines + ["... and 1 more line"]
      default: kept.lines + ["... and \(kept.leftOut) more lines"]
      }
    }
  }

  private static func shortened(_ line: Substring) -> String {
    let end = line.index(line.startIndex, offsetBy: longestLine, limitedBy: line.endIndex)
    guard let end, end < line.endIndex else { return String(line) }
    return line[..<end] + "..."
  }
}
