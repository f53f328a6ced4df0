/// The screen of the kiosk: the flow's view of that name, as a Swift type.
public struct Screen: Codable, Sendable, Equatable {
  /// The destination that the customer wants.
  public var order: String?
  /// In cents.
  public var price: Int
  /// How many tickets were sold.
  public var sold: Int
  /// The last problem.
  public var problem: String?
  /// The state of the machine.
  public var state: String
}
