import ArgumentParser
import Moonlatch

/// Reads lines, gives them to the session, prints what it answers.
struct Repl {
  private let session: Session
  private let isInteractive: Bool
  private let keepGoing: Bool
  private var reader = LineReader()
  /// Input that is not complete yet, and the line on which it began.
  private var pending: (text: String, line: Int)?
  private var status = ExitCode.success

  init(session: Session, isInteractive: Bool, keepGoing: Bool) {
    self.session = session
    self.isInteractive = isInteractive
    self.keepGoing = keepGoing
  }

  /// Goes on to the end of the input.
  ///
  /// Without a terminal an error ends it, unless told otherwise.
  consuming func run() -> ExitCode {
    if isInteractive { greet() }
    while let line = read() {
      evaluate(line)
      if status != .success && !keepGoing { return status }
    }
    if let pending {
      tell("the input ends in the middle of: \(pending.text)", line: pending.line)
    } else if isInteractive {
      Terminal.writeOutput("\n")
    }
    return status
  }

  private func greet() {
    let names = session.actionNames
    let actions = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", ..." : "")
    let what = names.isEmpty ? "s shows the state" : "actions: \(actions); s shows the state"
    Terminal.writeOutput("\(session.name): \(what); Ctrl-D leaves\n")
  }

  private mutating func read() -> LineReader.Line? {
    if isInteractive {
      let prompt = "\(session.name)#\(session.revision)> "
      let more = String(repeating: " ", count: max(0, prompt.count - 2)) + "| "
      Terminal.writeOutput(pending == nil ? prompt : more)
    }
    return reader.next()
  }

  private mutating func evaluate(_ line: LineReader.Line) {
    switch line {
    case .unreadable:
      pending = nil
      tell("this line is not UTF-8 text", line: reader.number)
    case .text(let text) where text.isEmpty && pending != nil && isInteractive:
      pending = nil
      Terminal.writeError("the unfinished input is dropped\n")
    case .text(let text):
      let begun = pending.map { ($0.text + "\n" + text, $0.line) } ?? (text, reader.number)
      pending = nil
      if !begun.0.allSatisfy(\.isWhitespace) { evaluate(begun.0, line: begun.1) }
    }
  }

  private mutating func evaluate(_ text: String, line: Int) {
    switch session.evaluate(text, line: isInteractive ? 1 : line) {
    case .incomplete: pending = (text, line)
    case .value(let value): if !value.isEmpty { Terminal.writeOutput(value + "\n") }
    case .error(let message): tell(message, line: line)
    }
  }

  /// An error.
  ///
  /// Piped input may be long: there each names its line.
  private mutating func tell(_ message: String, line: Int) {
    let isPlaced = message.hasPrefix("\(session.input):")
    Terminal.writeError(
      isInteractive || isPlaced ? "\(message)\n" : "\(session.input):\(line): \(message)\n")
    if !isInteractive { status = ExitStatus.scriptError }
  }
}
