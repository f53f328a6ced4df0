import HostFiles

/// A runner without programs, whose output has the first argument as the field `id`.
struct EchoRunner: CommandRunner {
  func run(_ request: CommandTaskRequest) async -> CommandTaskResponse {
    let output = "{\"id\":\"\(request.arguments.first ?? "")\"}"
    return .exited(code: 0, output: Array(output.utf8), error: [])
  }
}
