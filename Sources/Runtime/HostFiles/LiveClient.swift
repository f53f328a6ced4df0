/// The client with which the commands of a program make real calls: it sends requests and runs programs.
package struct LiveClient: Sendable {
  /// The client of this program; nil if it has none.
  @TaskLocal package static var current: LiveClient?

  private let makeSender: @Sendable (_ allowsPrivate: Bool) -> any HTTPSender
  private let findRunner: @Sendable () -> (any CommandRunner)?

  /// - Parameters:
  ///   - sender: makes a sender; its argument is true if requests may go to private addresses.
  ///   - runner: returns the runner of `command` capabilities, the same each time; nil if there is none.
  package init(
    sender: @escaping @Sendable (_ allowsPrivate: Bool) -> any HTTPSender,
    runner: @escaping @Sendable () -> (any CommandRunner)? = { nil }
  ) {
    (makeSender, findRunner) = (sender, runner)
  }

  /// Returns a new sender.
  ///
  /// - Parameter allowsPrivate: true if requests for public addresses may go to private ones too.
  package func sender(allowsPrivate: Bool) -> any HTTPSender { makeSender(allowsPrivate) }

  /// Returns the runner of `command` capabilities, for host files that may have them; nil if there is none.
  package func runner() -> (any CommandRunner)? { findRunner() }
}
