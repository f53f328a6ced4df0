/// The error of a host file with commands, for a program that was not allowed to run any.
package struct CommandsNotAllowed: Error, CustomStringConvertible {
  /// The capabilities that run a command; not empty.
  let capabilities: [HostCapability]

  /// A line for each command, and the way on.
  package var description: String {
    let lines = capabilities.map { "\($0.place): \($0.title) runs a program: \($0.summary)" }
    return (lines + ["Start with --allow-commands if the host file may run programs."])
      .joined(separator: "\n")
  }
}
