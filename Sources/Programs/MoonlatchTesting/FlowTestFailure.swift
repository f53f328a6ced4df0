/// The failure of a test with a `FlowTester`: what was expected and what happened, and the line of the test.
public struct FlowTestFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentences, without the place.
  public let message: String
  /// The file of the test.
  public let file: String
  /// The line of the test.
  public let line: Int

  /// The place and the sentences: `DeskTests/OrderTests.swift:12: pay was refused: ...`.
  public var description: String { "\(file):\(line): \(message)" }
}
