import FlowLanguage
import LuaRuntime

/// What can be asked of a session beside Lua: `:why coin`.
struct PromptCommand: Sendable {
  /// What Tab offers behind the command.
  enum Argument: Sendable {
    case nothing, action, path, file, name, scope
    case oneOf([String])
  }

  let name: String
  /// How it is written, behind its name.
  var usage = ""
  /// What it does, in one line.
  let summary: String
  /// More of it, for `:help`.
  var detail = ""
  var argument = Argument.nothing
  let run: @Sendable (Session, String) throws -> String

  static let all: [PromptCommand] = asking + time + working

  static func named(_ name: String) -> PromptCommand? { all.first { $0.name == name } }

  /// Whether an input is a command rather than Lua, in which nothing begins with a colon but a label.
  static func isCommand(_ text: String) -> Bool {
    let trimmed = text.drop(while: \.isWhitespace)
    return trimmed.first == ":" && !trimmed.hasPrefix("::")
  }

  /// The Lua with which a command ends, which may go on over several lines; nil where it is none.
  static func expression(in text: String) -> String? {
    let (name, rest) = split(text)
    let expression: String
    switch name {
    case "stub": expression = rest.drop { !$0.isWhitespace }.trimmed
    case "why": expression = ActionText.split(rest).payload
    default: return nil
    }
    return expression.isEmpty ? nil : expression
  }

  /// `:why coin {}` as `why` and `coin {}`.
  static func split(_ text: String) -> (name: String, rest: String) {
    let trimmed = text.drop(while: \.isWhitespace).dropFirst()
    let name = trimmed.prefix { !$0.isWhitespace }
    return (String(name), trimmed.dropFirst(name.count).trimmed)
  }
}

/// A command was asked for something that it cannot do.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
