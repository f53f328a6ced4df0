import FlowLanguage
import LuaRuntime

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
      return .error(":\(name) takes no argument, got \(rest)")
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
