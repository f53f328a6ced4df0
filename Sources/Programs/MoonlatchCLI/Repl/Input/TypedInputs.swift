/// The inputs that a text of several lines holds: actions, commands and Lua, one after the other.
struct TypedInputs {
  struct Part: Equatable {
    let text: String
    /// The line of the text on which it begins, counted from 1.
    let line: Int
  }

  /// The bytes that are looked at, line after line from where an input begins, to find where it ends.
  ///
  /// An input of many lines is looked at again with each. What comes after so many is not complete.
  static let mostExamined = 32 << 20

  /// What can be played, in order.
  private(set) var complete: [Part] = []
  /// What begins at the end and is not complete.
  private(set) var rest: Part?

  /// Reads a text line by line: an input goes on until it is complete.
  init(_ text: String, isComplete: (String) -> Bool) {
    var pending = ""
    var begun = 0
    var examined = 0
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      if pending.isEmpty { begun = index + 1 }
      pending += pending.isEmpty ? String(line) : "\n" + line
      if pending.trimmed.isEmpty {
        pending = ""
        continue
      }
      examined += pending.utf8.count
      if examined <= TypedInputs.mostExamined, isComplete(pending) {
        complete.append(Part(text: pending, line: begun))
        pending = ""
      }
    }
    if !pending.isEmpty { rest = Part(text: pending, line: begun) }
  }

  /// Whether there is a command among them: the text as a whole can be no Lua then.
  var hasCommands: Bool {
    complete.contains { PromptCommand.isCommand($0.text) }
      || rest.map { PromptCommand.isCommand($0.text) } == true
  }
}

extension Session {
  /// How far a text is Lua.
  private enum Reading: String {
    case whole, incomplete, wrong
  }

  private func reading(of text: String, isExpression: Bool = false) -> Reading {
    let found = try? ask("session_reading", [.string(text), .boolean(isExpression)])
    return found?.first?.stringValue.flatMap(Reading.init) ?? .wrong
  }

  /// Whether nothing more has to follow.
  func isComplete(_ text: String) -> Bool {
    guard text.contains(where: \.isNewline) else { return isCompleteInput(text) }
    if !PromptCommand.isCommand(text), reading(of: text) == .whole { return true }
    let inputs = TypedInputs(text, isComplete: isCompleteInput)
    return inputs.hasCommands ? inputs.rest == nil : isCompleteInput(text)
  }

  /// The same of what is one input at most: no part of it is complete without the rest.
  ///
  /// A command may end in Lua of several lines.
  func isCompleteInput(_ text: String) -> Bool {
    guard PromptCommand.isCommand(text) else { return reading(of: text) != .incomplete }
    guard let expression = PromptCommand.expression(in: text) else { return true }
    return reading(of: expression, isExpression: true) != .incomplete
  }

  /// The inputs that a text is played as: one, if it is one; otherwise what its lines hold, where
  /// each of these can be played or one is a command.
  func inputs(of text: String) -> [String] {
    guard text.contains(where: \.isNewline) else { return [text] }
    let reading = PromptCommand.isCommand(text) ? .wrong : reading(of: text)
    if reading == .whole { return [text] }
    let inputs = inputs(in: text)
    let parts = inputs.complete.map(\.text) + (inputs.rest.map { [$0.text] } ?? [])
    if parts.count < 2 { return [text] }
    if inputs.hasCommands { return parts }
    let isPlayable = reading == .wrong && parts.allSatisfy { self.reading(of: $0) == .whole }
    return isPlayable ? parts : [text]
  }

  func inputs(in text: String) -> TypedInputs { TypedInputs(text, isComplete: isCompleteInput) }
}
