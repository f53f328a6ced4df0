/// What the kiosk shows: the flow's view of that name, as a Swift type.
public struct Screen: Codable, Sendable, Equatable {
  /// Where the customer wants to go.
  public var order: String?
  /// In cents.
  public var price: Int
  /// How many tickets were sold.
  public var sold: Int
  /// What went wrong last.
  public var problem: String?
  /// The state of the machine.
  public var state: String
}
