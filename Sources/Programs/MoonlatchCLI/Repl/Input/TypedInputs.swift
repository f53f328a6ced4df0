/// The inputs in a text of several lines: actions, commands and Lua, one after the other.
struct TypedInputs {
  struct Part: Equatable {
    let text: String
    /// The line of the text on which it begins, counted from 1.
    let line: Int
  }

  /// The maximum number of bytes that are parsed to find the ends of inputs.
  ///
  /// Each line is parsed together with all lines of its input before it. Text behind the maximum counts as incomplete.
  static let mostExamined = 32 << 20

  /// The complete inputs, in order.
  private(set) var complete: [Part] = []
  /// The incomplete input at the end.
  private(set) var rest: Part?

  /// Splits a text line by line; an input goes on until it is complete.
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

  /// True if one of the inputs is a command, so that the text as a whole cannot be Lua.
  var hasCommands: Bool {
    complete.contains { PromptCommand.isCommand($0.text) }
      || rest.map { PromptCommand.isCommand($0.text) } == true
  }
}
