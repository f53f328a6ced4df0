import Foundation
import StateCharts

/// A comparison of Qt SCXML with appendix D and this package, over random documents.
package final class QtComparison {
  /// The counts of what was played.
  package struct Count: Sendable, CustomStringConvertible {
    package var documents = 0
    package var events = 0
    package var alike = 0
    /// The number of documents with other results, by the rules of Qt that explain them.
    package var explained: [String: Int] = [:]

    package init() {}

    package var description: String {
      let rules = explained.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return
        (["\(documents) documents of \(events) events, \(alike) of them alike"]
        + rules.map { "\($0.value) otherwise: \($0.key)" }).joined(separator: "; ")
    }
  }

  private let program: String
  private var process = Process()
  private var input = Pipe()
  private var output = Pipe()
  private var rest: [UInt8] = []
  private let file: URL

  /// Starts Qt's program, which reads a file in this folder for each document.
  package init(program: String, folder: String) throws {
    self.program = program
    file = URL(fileURLWithPath: folder).appending(path: "random.scxml")
    try start()
  }

  /// Ends Qt's program.
  package func end() { process.terminate() }

  private func start() throws {
    (process, input, output, rest) = (Process(), Pipe(), Pipe(), [])
    process.executableURL = URL(fileURLWithPath: program)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Otherwise the end of the program would not be detected.
    try output.fileHandleForWriting.close()
  }

  /// Returns a difference for the document of a seed, shrunk as far as possible; nil if there is none.
  package func difference(seed: UInt64, _ total: inout Count) throws -> String? {
    let document = RandomDocument.draw(seed: seed, invokes: false)
    let expected = DocumentReference.steps(of: document)
    guard !expected.isEmpty else { return nil }
    total.documents += 1
    total.events += expected.count - 1
    let own = try DocumentComparison.steps(of: document, .ecmascript, count: expected.count)
    if let found = DocumentComparison.difference(own, expected, of: document.events) {
      return "seed \(seed): this package differs from appendix D \(found)"
    }
    guard let found = try explanation(document) else {
      var smallest = document
      while let smaller = try smallest.smaller.first(where: { try explanation($0) == nil }) {
        smallest = smaller
      }
      return "seed \(seed): \(try difference(smallest))\n"
        + DocumentText.text(smallest, .ecmascript)
        + "events: \(smallest.events.joined(separator: " "))"
    }
    if found.isEmpty {
      total.alike += 1
    } else {
      total.explained[found.description, default: 0] += 1
    }
    return nil
  }

  /// Returns the fewest of Qt's rules with which the reference does what Qt does; nil if no rules explain it.
  private func explanation(_ document: RandomDocument) throws -> QtRules? {
    let expected = DocumentReference.steps(of: document)
    guard !expected.isEmpty else { return [] }
    let events = Array(document.events.prefix(expected.count - 1))
    let own = try steps(of: DocumentText.text(document, .ecmascript), events)
    return QtRules.subsets.first { rules in
      let other = sorted(DocumentReference.steps(of: document, rules, most: 1_000))
      let isEndless = own.last?.logged == [QtComparison.endless]
      guard other.count >= own.count - (isEndless ? 1 : 0) else { return false }
      return zip(own, other).allSatisfy { $0 == $1 || $0.logged == [QtComparison.endless] }
    }
  }

  private static let endless = "!it goes on and on"

  /// Returns the steps with sorted names, because Qt lists the active states in no order.
  private func sorted(_ steps: [DocumentReference.Step]) -> [DocumentReference.Step] {
    steps.map { .init(logged: $0.logged, active: $0.active?.sorted()) }
  }

  /// Returns the difference from appendix D, as text.
  private func difference(_ document: RandomDocument) throws -> String {
    let expected = sorted(DocumentReference.steps(of: document))
    let events = Array(document.events.prefix(expected.count - 1))
    let own = try steps(of: DocumentText.text(document, .ecmascript), events)
    return DocumentComparison.difference(own, expected, of: events) ?? ""
  }

  /// Returns the steps of a document in Qt.
  private func steps(of text: String, _ events: [String]) throws -> [DocumentReference.Step] {
    try Data(text.utf8).write(to: file)
    let line = ([file.path] + events).joined(separator: "\t") + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    var steps: [DocumentReference.Step] = []
    while true {
      let answer = try nextLine()
      if answer == "." { return steps }
      if answer.hasPrefix("!") {
        steps.append(.init(logged: [answer]))
        return steps
      }
      let parts: [Substring] = answer.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Different("Qt says \(answer)") }
      let active = parts[1].split(separator: " ").map(String.init)
      steps.append(
        .init(
          logged: parts[0].split(separator: ";").map(String.init),
          active: parts[1] == "ended" ? nil : active))
    }
  }

  /// Returns the next line of Qt's program; a line of our own if the program has ended.
  private func nextLine() throws -> String {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeSubrange(...end)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        process.waitUntilExit()
        let isCrash = process.terminationReason == .uncaughtSignal
        try start()
        return isCrash ? "!it crashes" : QtComparison.endless
      }
      rest += more
    }
  }
}
