import FlowLanguage
import LuaRuntime

/// A command of the prompt, which is not Lua: `:why coin`.
struct PromptCommand: Sendable {
  /// The kind of argument, for completion.
  enum Argument: Sendable {
    case nothing, action, path, file, name, scope, task
    case oneOf([String])
  }

  let name: String
  /// The syntax of the arguments.
  var usage = ""
  /// The description, in one line.
  let summary: String
  /// The rest of the description, for `:help`.
  var detail = ""
  var argument = Argument.nothing
  let run: @Sendable (Session, String) throws -> String

  static let all: [PromptCommand] = asking + time + tasks + working

  static func named(_ name: String) -> PromptCommand? { all.first { $0.name == name } }

  /// Returns true if an input is a command rather than Lua, where only a label begins with a colon.
  static func isCommand(_ text: String) -> Bool {
    let trimmed = text.drop(while: \.isWhitespace)
    return trimmed.first == ":" && !trimmed.hasPrefix("::")
  }

  /// Returns the Lua expression at the end of a command, which may span several lines; nil if there is none.
  static func expression(in text: String) -> String? {
    let (name, rest) = split(text)
    let expression: String
    switch name {
    case "stub", "complete": expression = rest.drop { !$0.isWhitespace }.trimmed
    case "why": expression = ActionText.split(rest).payload
    default: return nil
    }
    return expression.isEmpty ? nil : expression
  }

  /// Splits `:why coin {}` into `why` and `coin {}`.
  static func split(_ text: String) -> (name: String, rest: String) {
    let trimmed = text.drop(while: \.isWhitespace).dropFirst()
    let name = trimmed.prefix { !$0.isWhitespace }
    return (String(name), trimmed.dropFirst(name.count).trimmed)
  }
}

/// The error of a command that cannot do what it was asked for.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
