import ArgumentParser
import CLineEdit
import FlowKernel
import SharedCommands

/// The loop of the prompt: it reads inputs, evaluates them in the session, and prints the results.
struct Repl {
  private let session: Session
  private let isInteractive: Bool
  private let keepGoing: Bool
  /// The pager for long results; nil to print them.
  private let pager: Pager?
  private var source: any InputSource
  private var status = ExitCode.success
  /// True if the last input was Ctrl-C on an empty line.
  private var wasInterrupted = false

  init(
    session: Session, source: any InputSource, isInteractive: Bool, keepGoing: Bool,
    pager: Pager? = nil
  ) {
    self.session = session
    self.pager = pager
    self.source = source
    self.isInteractive = isInteractive
    self.keepGoing = keepGoing
  }

  /// Runs to the end of the input.
  ///
  /// Without a terminal an error ends the loop, unless `keepGoing` is set.
  consuming func run() -> ExitCode {
    if isInteractive { Terminal.writeOutput(session.greeting + "\n") }
    while true {
      if Interruption.hasCome { source.dropRest() }
      line_interrupts_reset()
      let input = source.next()
      switch input {
      case .text(let text): if evaluate(text) { return status }
      case .unreadable: printMistake("this line is not UTF-8 text")
      case .tooLong:
        printMistake(
          "this input has more than \(LineReader.longest >> 20) MB, or too many lines: put it into a file, and :load that"
        )
      case .interrupted(let wasEmpty):
        Terminal.writeOutput(source is PlainInput ? "\n" : "")
        if wasEmpty && wasInterrupted { return ExitStatus.interrupted }
        if wasEmpty { Terminal.writeOutput("(Ctrl-C again leaves, as do Ctrl-D and :quit)\n") }
        wasInterrupted = wasEmpty
        continue
      case .end(let unfinished):
        if let unfinished { printMistake("the input ends in the middle of: \(unfinished)") }
        if isInteractive { Terminal.writeOutput("\n") }
        return status
      }
      wasInterrupted = false
      if status != .success && !keepGoing { return status }
    }
  }

  /// Evaluates an input, and returns true if the session is over.
  private mutating func evaluate(_ text: String) -> Bool {
    switch session.evaluate(text, line: isInteractive ? 1 : source.line) {
    case .incomplete: printMistake("this is not complete")
    case .value(let value):
      if !value.isEmpty, pager?.show(value + "\n") != true { Terminal.writeOutput(value + "\n") }
    case .error(let message): printMistake(message)
    case .leave: return true
    }
    if session.lost != nil { status = ExitStatus.scriptError }
    return session.lost != nil
  }

  /// Prints an error.
  ///
  /// Piped input may be long, so there each error names its line.
  private mutating func printMistake(_ message: String) {
    let isPlaced = message.hasPrefix("\(session.input):")
    Terminal.writeError(
      isInteractive || isPlaced
        ? "\(message)\n" : "\(session.input):\(source.line): \(message)\n")
    if !isInteractive { status = ExitStatus.scriptError }
  }
}
