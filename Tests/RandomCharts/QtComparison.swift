import Foundation
import StateCharts

/// A random document as Qt SCXML runs it, beside appendix D and this package.
package final class QtComparison {
  /// What was played.
  package struct Count: Sendable, CustomStringConvertible {
    package var documents = 0
    package var events = 0
    package var alike = 0

    package init() {}

    package var description: String {
      "\(documents) documents of \(events) events, \(alike) of them alike"
    }
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var rest: [UInt8] = []
  private let file: URL

  /// Starts Qt's program, which is given a file in this folder for each document.
  package init(program: String, folder: String) throws {
    file = URL(fileURLWithPath: folder).appending(path: "random.scxml")
    process.executableURL = URL(fileURLWithPath: program)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// A difference of the document of this seed, in words, as small as it gets; nil if there is none.
  package func difference(seed: UInt64, _ total: inout Count) throws -> String? {
    let document = RandomDocument.draw(seed: seed)
    let expected = DocumentReference.steps(of: document)
    guard !expected.isEmpty else { return nil }
    total.documents += 1
    total.events += expected.count - 1
    let own = try DocumentComparison.steps(of: document, .ecmascript, count: expected.count)
    if let found = DocumentComparison.difference(own, expected, of: document.events) {
      return "seed \(seed): this package differs from appendix D \(found)"
    }
    guard try difference(document) != nil else {
      total.alike += 1
      return nil
    }
    var smallest = document
    while let smaller = try smallest.smaller.first(where: { try difference($0) != nil }) {
      smallest = smaller
    }
    return "seed \(seed): \(try difference(smallest) ?? "")\n"
      + DocumentText.text(smallest, .ecmascript)
      + "events: \(smallest.events.joined(separator: " "))"
  }

  private func difference(_ document: RandomDocument) throws -> String? {
    let expected = DocumentReference.steps(of: document)
    guard !expected.isEmpty else { return nil }
    let events = Array(document.events.prefix(expected.count - 1))
    let own = try steps(of: DocumentText.text(document, .ecmascript), events)
    let sorted = expected.map { step in
      DocumentReference.Step(logged: step.logged, active: step.active?.sorted())
    }
    return DocumentComparison.difference(own, sorted, of: events)
  }

  /// What Qt does.
  private func steps(of text: String, _ events: [String]) throws -> [DocumentReference.Step] {
    try Data(text.utf8).write(to: file)
    let line = ([file.path] + events).joined(separator: "\t") + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    var steps: [DocumentReference.Step] = []
    while true {
      let answer = try nextLine()
      if answer == "." { return steps }
      let parts: [Substring] = answer.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Different("Qt says \(answer)\n\(text)") }
      let active = parts[1].split(separator: " ").map(String.init)
      steps.append(
        .init(
          logged: parts[0].split(separator: ";").map(String.init),
          active: parts[1] == "ended" ? nil : active))
    }
  }

  private func nextLine() throws -> String {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeSubrange(...end)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw Different("Qt's program has ended") }
      rest += more
    }
  }
}
