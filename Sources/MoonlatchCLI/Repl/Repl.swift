import ArgumentParser
import Moonlatch

/// Reads lines, gives them to the session, prints what it answers.
struct Repl {
  let session: Session
  let isInteractive: Bool
  let keepGoing: Bool

  func run() -> ExitCode {
    if isInteractive {
      let actions = session.actionNames.prefix(8).joined(separator: ", ")
      Terminal.writeOutput("\(session.name): try \(actions.isEmpty ? "s" : actions); Ctrl-D leaves\n")
    }
    var status = ExitCode.success
    var pending = ""
    while let line = read(continuing: !pending.isEmpty) {
      let given = pending.isEmpty ? line : pending + "\n" + line
      if !pending.isEmpty && line.isEmpty && isInteractive {
        Terminal.writeError("the unfinished input is dropped\n")
        pending = ""
        continue
      }
      if given.allSatisfy(\.isWhitespace) { continue }
      switch session.evaluate(given) {
      case .incomplete: pending = given
      case .answer(let text):
        pending = ""
        if !text.isEmpty { Terminal.writeOutput(text + "\n") }
      case .error(let text):
        pending = ""
        Terminal.writeError(text + "\n")
        if !isInteractive {
          status = ExitStatus.scriptError
          if !keepGoing { return status }
        }
      }
    }
    if !pending.isEmpty {
      Terminal.writeError("the input ends in the middle of: \(pending)\n")
      if !isInteractive { status = ExitStatus.scriptError }
    }
    if isInteractive { Terminal.writeOutput("\n") }
    return status
  }

  private func read(continuing: Bool) -> String? {
    if isInteractive {
      let prompt = "\(session.name)#\(session.revision)"
      Terminal.writeOutput(
        continuing ? String(repeating: " ", count: max(0, prompt.count - 1)) + "| " : prompt + "> ")
    }
    return readLine(strippingNewline: true)
  }
}
