/// A runner of the programs of `command` capabilities.
package protocol CommandRunner: Sendable {
  /// Runs a program to its end, or ends it after its timeout or if the task that runs it is cancelled.
  func run(_ request: CommandTaskRequest) async -> CommandTaskResponse
}
