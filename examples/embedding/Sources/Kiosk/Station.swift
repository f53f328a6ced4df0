/// What the kiosk's flow may ask of the program around it.
public protocol Station: Sendable {
  /// Asks far away, and so takes its time.
  func price(of destination: String) async throws -> Int
  /// Prints at once, or jams.
  func printTicket(_ number: Int) throws
}
