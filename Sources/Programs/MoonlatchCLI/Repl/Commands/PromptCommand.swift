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

extension Session {
  func run(command text: String) -> Answer {
    let (name, rest) = PromptCommand.split(text)
    if ["q", "quit", "exit"].contains(name) { return .leave }
    guard let command = PromptCommand.named(name) else {
      let names = PromptCommand.all.map(\.name) + ["quit"]
      return .error(
        "there is no command :\(name)"
          + (Names.nearest(to: name, among: names).map { "; did you mean :\($0)?" }
            ?? "; :help lists them"))
    }
    if case .nothing = command.argument, !rest.isEmpty {
      return .error(":\(name) takes nothing behind it, got \(rest)")
    }
    do {
      return .value(try command.run(self, rest))
    } catch let error as ScriptError {
      return .error(error.report)
    } catch {
      return .error("\(error)")
    }
  }
}

extension StringProtocol {
  /// Without white space at both ends.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text = text.dropFirst() }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}
