import Bench
import Foundation

/// A process of this program that serves cases, as whoever has started it sees it.
final class NodeProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()
  nonisolated(unsafe) private static var all: [NodeProcess] = []

  /// - Parameter callers: how many dispatches it has under way at once.
  init(_ name: String, _ url: String, _ callers: Int) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["node", name, url, "\(callers)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    Self.all.append(self)
  }

  func tell(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

  /// The number that it answers next.
  func answer() throws -> Double {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = Data(rest[rest.index(after: end)...])
        guard let number = Double(line) else { throw WrongResult("a node says: \(line)") }
        return number
      }
      let new = output.fileHandleForReading.availableData
      if new.isEmpty { throw WrongResult("a node has ended") }
      rest += new
    }
  }

  func stop() { kill(process.processIdentifier, SIGSTOP) }
  func goOn() { kill(process.processIdentifier, SIGCONT) }

  static func endAll() {
    for node in all { kill(node.process.processIdentifier, SIGKILL) }
  }
}
