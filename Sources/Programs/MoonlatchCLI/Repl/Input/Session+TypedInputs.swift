extension Session {
  /// The result of parsing a text as Lua.
  private enum Reading: String {
    case whole, incomplete, wrong
  }

  private func reading(of text: String, isExpression: Bool = false) -> Reading {
    let found = try? ask("session_reading", [.string(text), .boolean(isExpression)])
    return found?.first?.stringValue.flatMap(Reading.init) ?? .wrong
  }

  /// Returns true if a text needs no more lines.
  func isComplete(_ text: String) -> Bool {
    guard text.contains(where: \.isNewline) else { return isCompleteInput(text) }
    if !PromptCommand.isCommand(text), reading(of: text) == .whole { return true }
    let inputs = TypedInputs(text, isComplete: isCompleteInput)
    return inputs.hasCommands ? inputs.rest == nil : isCompleteInput(text)
  }

  /// Returns true if a text that is at most one input needs no more lines.
  ///
  /// No part of such a text is complete without the rest. A command may end in Lua of several lines.
  func isCompleteInput(_ text: String) -> Bool {
    guard PromptCommand.isCommand(text) else { return reading(of: text) != .incomplete }
    guard let expression = PromptCommand.expression(in: text) else { return true }
    return reading(of: expression, isExpression: true) != .incomplete
  }

  /// Returns the inputs that a text is played as.
  ///
  /// A text that is one input stays whole. Otherwise its lines are split into inputs, if all of these can be played or
  /// one is a command.
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
