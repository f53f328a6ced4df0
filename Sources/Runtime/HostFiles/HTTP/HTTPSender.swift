/// A client that sends the requests of `http` capabilities.
package protocol HTTPSender: Sendable {
  /// Sends a request, and returns early if the task that runs it is cancelled.
  func send(_ request: HTTPTaskRequest) async -> HTTPTaskResponse
}
