import FlowKernel
import Platform

/// A source of inputs: a terminal with line editing, one without, or a pipe.
protocol InputSource {
  /// Returns the next input.
  mutating func next() -> TypedInput
  /// The line on which the last input began.
  var line: Int { get }
  /// Drops the remaining inputs of a paste.
  mutating func dropRest()
}

extension InputSource {
  mutating func dropRest() {}
}

enum TypedInput: Equatable {
  case text(String)
  /// The input has bytes that are not UTF-8.
  case unreadable
  /// The input exceeds the maximum length.
  case tooLong
  /// Ctrl-C was pressed; `wasEmpty` is true if nothing had been typed.
  case interrupted(wasEmpty: Bool)
  /// The input has ended; `unfinished` is an incomplete input before the end.
  case end(unfinished: String?)
}

/// A source that reads line by line, from a pipe or a terminal without editing.
///
/// An input spans lines until it is complete.
struct PlainInput: InputSource {
  let session: Session
  let isInteractive: Bool
  private(set) var line = 0
  private var reader = LineReader()

  init(session: Session, isInteractive: Bool) {
    self.session = session
    self.isInteractive = isInteractive
    reader.endsAtInterrupt = isInteractive
  }

  mutating func next() -> TypedInput {
    var text = ""
    var examined = 0
    if isInteractive { Terminal.writeOutput(session.prompt) }
    while let read = reader.next() {
      switch read {
      case .unreadable:
        line = reader.number
        return .unreadable
      case .tooLong:
        line = reader.number
        return .tooLong
      case .interrupted: return .interrupted(wasEmpty: text.isEmpty)
      case .text(let more):
        if text.isEmpty { line = reader.number }
        examined += text.utf8.count
        if text.utf8.count + more.utf8.count > LineReader.longest
          || examined > TypedInputs.mostExamined
        {
          return .tooLong
        }
        let isForced = isInteractive && more.isEmpty && !text.isEmpty
        text += text.isEmpty ? more : "\n" + more
        if text.trimmed.isEmpty {
          text = ""
          if isInteractive { Terminal.writeOutput(session.prompt) }
        } else if isForced || session.isCompleteInput(text) {
          return .text(text)
        } else if isInteractive {
          Terminal.writeOutput(LineEditor.continuation)
        }
      }
    }
    return .end(unfinished: text.trimmed.isEmpty ? nil : text)
  }
}

/// A source of inputs that are edited at a terminal, with a history.
struct EditedInput: InputSource {
  let session: Session
  let editor: LineEditor
  let history: HistoryFile?
  let watch: FileWatch?
  var line: Int { 1 }
  /// The remaining inputs of a paste.
  private var pasted: [String] = []

  init?(session: Session, history: HistoryFile?, watch: FileWatch?) {
    let callbacks = LineEditor.Callbacks(
      isComplete: { session.isComplete($0) },
      complete: { Completer(session: session, width: LineEditor.width).complete($0) },
      pasted: { Paste.cleaned($0, prompt: session.name) },
      woke: { editor in
        let told = EditedInput.wake(session, watch)
        editor.setPrompt(EditedInput.prompt(of: session))
        editor.watch(watch?.descriptor, milliseconds: EditedInput.wait(for: session, watch))
        return told
      },
      paint: session.style.isColored ? { EditedInput.styles(of: $0, in: session) } : nil)
    guard let editor = LineEditor(callbacks) else { return nil }
    self.session = session
    self.editor = editor
    self.history = history
    self.watch = watch
    if let history { editor.loadHistory(from: history.path) }
  }

  mutating func next() -> TypedInput {
    if let input = takePasted() { return input }
    while true {
      editor.watch(watch?.descriptor, milliseconds: EditedInput.wait(for: session, watch))
      switch editor.read(prompt: EditedInput.prompt(of: session)) {
      case .end: return .end(unfinished: nil)
      case .interrupted(let typed): return .interrupted(wasEmpty: typed.isEmpty)
      case .text(let text) where text.trimmed.isEmpty: continue
      case .text(let text) where text.utf8.count > LineReader.longest: return .tooLong
      case .text(let typed):
        remember(typed)
        let text = LineEditor.unindented(typed)
        let inputs = session.inputs(of: text)
        if inputs.count == 1 { return .text(text) }
        pasted = inputs
        return takePasted() ?? .text(text)
      }
    }
  }

  /// Returns the next input of a paste, and prints it as if it were typed now.
  private mutating func takePasted() -> TypedInput? {
    guard !pasted.isEmpty else { return nil }
    let text = pasted.removeFirst()
    Terminal.writeOutput("\(EditedInput.shownPrompt(of: session))\(text)\n")
    return .text(text)
  }

  mutating func dropRest() {
    if pasted.isEmpty { return }
    let inputs = pasted.count == 1 ? "1 more input" : "\(pasted.count) more inputs"
    Terminal.writeError("not run: \(inputs) of the pasted text\n")
    pasted = []
  }

  /// Adds an input to the history, unless it begins with a space.
  private func remember(_ text: String) {
    if text.first == " " { return }
    editor.remember(text)
    if let history { editor.appendHistory(to: history.path) }
  }

  private static func styles(of text: String, in session: Session) -> [UInt8] {
    if PromptCommand.isCommand(text) {
      let word = text.utf8.prefix { $0 != UInt8(ascii: " ") }.count
      return [UInt8](repeating: InputStyles.Style.known.rawValue, count: word)
    }
    return InputStyles(of: text) { session.engine.flow.action(named: $0) != nil }.styles
  }

  private static func prompt(of session: Session) -> String {
    Terminal.prompt(shownPrompt(of: session))
  }

  private static func shownPrompt(of session: Session) -> String {
    session.style.heading(String(session.prompt.dropLast())) + " "
  }

  /// Returns the time until something is due without an input, in milliseconds; nil if nothing is due.
  private static func wait(for session: Session, _ watch: FileWatch?) -> Int? {
    // While a call is open, Ctrl-C has ended the wait for its answer.
    let isOpen = session.tasks.performances.isBusy
    let poll = isOpen ? 200 : watch != nil && watch?.descriptor == nil ? 500 : nil
    guard let elapsed = session.clock.elapsed, let due = session.engine.nextDue else { return poll }
    return min(poll ?? .max, max(0, (due - elapsed) / 1000 + 1))
  }

  /// Returns the output of what happened while nothing was typed.
  private static func wake(_ session: Session, _ watch: FileWatch?) -> String? {
    let style = session.style
    return session.collecting {
      if let watch, watch.hasChanged() {
        do {
          session.output(style.quiet(try session.reload(.keep)))
          watch.follow(session.engine.flow.files)
        } catch {
          session.output("not reloaded: \(error)")
        }
      }
      session.letTimePass()
      session.deliverAnswers(waits: false)
      for complaint in session.complaints.lines { session.output(complaint) }
      session.complaints = Diagnostics()
    }
  }
}

/// The clean-up of pasted text.
enum Paste {
  /// Returns the text without the prompts of a copied session, and without the last line end: the user presses Enter.
  static func cleaned(_ text: String, prompt name: String) -> String {
    var lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.count > 1, lines.last?.trimmed.isEmpty == true { lines.removeLast() }
    return lines.map { line in
      guard line.hasPrefix(name + "#"), let end = line.firstRange(of: "> "),
        line[..<end.lowerBound].dropFirst(name.count + 1).allSatisfy(\.isNumber)
      else { return line }
      return String(line[end.upperBound...])
    }.joined(separator: "\n")
  }
}
