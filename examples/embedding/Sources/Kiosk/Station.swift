/// The functions that the program around the kiosk's flow provides.
public protocol Station: Sendable {
  /// Asks far away, and so takes its time.
  func price(of destination: String) async throws -> Int
  /// Prints at once, or jams.
  func printTicket(_ number: Int) throws
}
