import FlowKernel
import HostFiles
import LuaRuntime
import Platform
import Testing

/// A client without a network: it gives a response, and keeps the requests.
final class FakeSender: HTTPSender {
  private let response: HTTPTaskResponse
  private let sent = Mutex<[HTTPTaskRequest]>([])

  init(_ response: HTTPTaskResponse) { self.response = response }

  var requests: [HTTPTaskRequest] { sent.withLock { $0 } }

  func send(_ request: HTTPTaskRequest) async -> HTTPTaskResponse {
    sent.withLock { $0.append(request) }
    return response
  }
}

/// A call of the capability `charge`, whose options a test gives.
struct HTTPTrial {
  let folder: HostFolder
  let file: HostFile
  var scope = "root"
  var response = HTTPTaskResponse.received(status: 200, headers: [], body: [])

  /// Loads a host file.
  init(_ options: String, variables: [String: String] = [:], scope: String = "root") throws {
    folder = try HostFolder()
    let word = scope == "root" ? "provide" : "provide.\(scope)"
    file = try folder.load(
      "\(word) { charge = http { \(options) } }", reading: .variables(variables))
    self.scope = scope
  }

  /// Performs a call, and returns its outcome with the requests that were sent.
  func perform(
    _ arguments: Value = [:], tryNumber: Int = 1, attempt: Int = 1, caseID: String = "o-17",
    key: Value = .nil
  ) async throws -> (outcome: PerformedOutcome, requests: [HTTPTaskRequest]) {
    let sender = FakeSender(response)
    let capability = try #require(file.tasks(sender: sender)["\(scope).charge"])
    let performer = try #require(capability.performer)
    let task = OpenTask(
      call: "9f3c/o-17/e4/2", tryNumber: tryNumber, effect: 4, position: "2", scope: scope,
      scopeKey: key, name: "charge", arguments: arguments, kind: capability.kind,
      queue: capability.queue, isOnce: false, opened: 0, deadline: nil)
    let outcome = await performer.perform(PerformedTask(task, of: caseID, attempt: attempt))
    return (outcome, sender.requests)
  }

  /// Returns the one request of a call.
  func request(
    _ arguments: Value = [:], caseID: String = "o-17", key: Value = .nil
  ) async throws -> HTTPTaskRequest {
    let (outcome, requests) = try await perform(arguments, caseID: caseID, key: key)
    return try #require(requests.first, "\(outcome)")
  }

  /// Returns the outcome of a call with a response.
  func outcome(
    of status: Int, _ body: String = "", type: String? = nil, headers: [HTTPTaskHeader] = [],
    tryNumber: Int = 1, attempt: Int = 1
  ) async throws -> PerformedOutcome {
    var trial = self
    let types = type.map { [HTTPTaskHeader("Content-Type", $0)] } ?? []
    trial.response = .received(status: status, headers: types + headers, body: Array(body.utf8))
    return try await trial.perform(tryNumber: tryNumber, attempt: attempt).outcome
  }
}

extension PerformedOutcome {
  /// The failure of the call; nil for another outcome.
  var failure: CallFailure? {
    if case .answered(.failure(let failure)) = self { failure } else { nil }
  }

  /// The result of the call; nil for another outcome.
  var result: Value? {
    if case .answered(.answer(let value)) = self { value } else { nil }
  }

  /// The reason for which nobody can perform the call; nil for another outcome.
  var deadReason: String? { if case .dead(let reason) = self { reason } else { nil } }
}
