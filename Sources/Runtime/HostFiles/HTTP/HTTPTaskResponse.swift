/// The result of sending a request.
package enum HTTPTaskResponse: Sendable, Hashable {
  /// A whole response.
  case received(status: Int, headers: [HTTPTaskHeader], body: [UInt8])
  /// No whole response came, for this reason: another try may succeed.
  case failed(String)
  /// The address or the certificate is refused, or the response is too large: no try succeeds.
  case refused(String)
  /// The task was cancelled.
  case interrupted
}
