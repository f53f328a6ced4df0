/// The client with which the commands of a program make real calls.
package struct LiveClient: Sendable {
  /// The client of this program; nil if it has none.
  @TaskLocal package static var current: LiveClient?

  private let make: @Sendable (_ allowsPrivate: Bool) -> any HTTPSender

  /// - Parameter make: makes a sender; its argument is true if requests may go to private addresses.
  package init(_ make: @escaping @Sendable (_ allowsPrivate: Bool) -> any HTTPSender) {
    self.make = make
  }

  /// Returns a new sender.
  ///
  /// - Parameter allowsPrivate: true if requests for public addresses may go to private ones too.
  package func sender(allowsPrivate: Bool) -> any HTTPSender { make(allowsPrivate) }
}
