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
