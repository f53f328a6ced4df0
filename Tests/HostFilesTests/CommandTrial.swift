import FlowKernel
import HostFiles
import LuaRuntime
import Platform
import Testing

/// A runner without programs: it gives a response, and keeps the requests.
final class FakeRunner: CommandRunner {
  private let response: CommandTaskResponse
  private let asked = Mutex<[CommandTaskRequest]>([])

  init(_ response: CommandTaskResponse) { self.response = response }

  var requests: [CommandTaskRequest] { asked.withLock { $0 } }

  func run(_ request: CommandTaskRequest) async -> CommandTaskResponse {
    asked.withLock { $0.append(request) }
    return response
  }
}

/// A call of the capability `free`, whose options a test gives.
struct CommandTrial {
  let folder: HostFolder
  let file: HostFile
  let scope: String
  var response = CommandTaskResponse.exited(code: 0, output: [], error: [])

  /// Loads a host file.
  init(_ options: String, variables: [String: String] = [:], scope: String = "root") throws {
    folder = try HostFolder()
    let word = scope == "root" ? "provide" : "provide.\(scope)"
    file = try folder.load(
      "\(word) { free = command { \(options) } }", reading: .variables(variables))
    self.scope = scope
  }

  /// Performs a call, and returns its outcome with the runs that were asked for.
  func perform(
    _ arguments: Value = [:], caseID: String = "o-17", key: Value = .nil
  ) async throws -> (outcome: PerformedOutcome, requests: [CommandTaskRequest]) {
    let runner = FakeRunner(response)
    let capability = try #require(file.tasks(sender: nil, runner: runner)["\(scope).free"])
    let performer = try #require(capability.performer)
    let task = OpenTask(
      call: "9f3c/o-17/e4/2", tryNumber: 1, effect: 4, position: "2", scope: scope,
      scopeKey: key, name: "free", arguments: arguments, kind: capability.kind,
      queue: capability.queue, isOnce: false, opened: 0, deadline: nil)
    let outcome = await performer.perform(PerformedTask(task, of: caseID, attempt: 1))
    return (outcome, runner.requests)
  }

  /// Returns the one run of a call.
  func request(
    _ arguments: Value = [:], caseID: String = "o-17", key: Value = .nil
  ) async throws -> CommandTaskRequest {
    let (outcome, requests) = try await perform(arguments, caseID: caseID, key: key)
    return try #require(requests.first, "\(outcome)")
  }

  /// Returns the outcome of a call with a response.
  func outcome(of response: CommandTaskResponse) async throws -> PerformedOutcome {
    var trial = self
    trial.response = response
    return try await trial.perform().outcome
  }

  /// Returns the outcome of an exit.
  func outcome(
    ofExit code: Int, _ output: String = "", error: String = ""
  ) async throws -> PerformedOutcome {
    try await outcome(
      of: .exited(code: code, output: Array(output.utf8), error: Array(error.utf8)))
  }
}
