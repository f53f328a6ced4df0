import HostFiles
import Platform

/// A client without a network, whose server answers each request a little later, or never.
final class BankSender: HTTPSender {
  private let response: HTTPTaskResponse?
  private let state = Mutex((sent: 0, interrupted: 0))

  /// - Parameter response: the response; nil if none comes.
  init(_ response: HTTPTaskResponse?) { self.response = response }

  /// Makes a client whose server answers with a status and a body of JSON.
  convenience init(_ status: Int, _ body: String = "{\"id\":\"r-1\"}") {
    self.init(
      .received(
        status: status, headers: [HTTPTaskHeader("Content-Type", "application/json")],
        body: Array(body.utf8)))
  }

  /// The number of requests.
  var sent: Int { state.withLock { $0.sent } }

  /// The number of requests that were cancelled.
  var interrupted: Int { state.withLock { $0.interrupted } }

  func send(_ request: HTTPTaskRequest) async -> HTTPTaskResponse {
    state.withLock { $0.sent += 1 }
    do {
      try await Task.sleep(for: response == nil ? .seconds(600) : .milliseconds(20))
    } catch {
      state.withLock { $0.interrupted += 1 }
      return .interrupted
    }
    return response ?? .interrupted
  }
}
