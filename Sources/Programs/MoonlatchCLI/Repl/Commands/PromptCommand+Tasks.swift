/// The commands that answer the tasks of a case by hand.
extension PromptCommand {
  static let tasks: [PromptCommand] = [
    PromptCommand(
      name: "tasks", summary: "the open tasks of a case in a journal, or with --live",
      detail:
        "Each call of a capability of the host file is one. Answer it with :complete or :fail: "
        + "with --live you do so for workers, and without it for all, since nothing is sent.",
      run: { session, _ in try session.listTasks() }),
    PromptCommand(
      name: "complete", usage: "ID [VALUE]", summary: "answers a task: its call returns the value",
      detail: "ID is a number that :tasks shows; VALUE is any Lua expression, of the type of the "
        + "result in the host file.",
      argument: .task, run: { try $0.complete($1) }),
    PromptCommand(
      name: "fail", usage: "ID TEXT", summary: "answers a task: its call raises an error",
      detail: "The error is one after which retry tries again.",
      argument: .task, run: { try $0.fail($1) }),
  ]
}
