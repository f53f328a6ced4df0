/// A run of a program for a call of a `command` capability.
package struct CommandTaskRequest: Sendable, Hashable {
  /// The absolute path of the program.
  package let program: String
  /// The arguments after the program's name, without NUL.
  package let arguments: [String]
  /// The whole environment of the program.
  package let environment: [String: String]
  /// The bytes of standard input.
  package let input: [UInt8]
  /// The longest time from the start to the end, in seconds.
  package let timeout: Double
  /// The greatest size of standard output, in bytes.
  package let mostBytes: Int

  package init(
    program: String, arguments: [String] = [], environment: [String: String] = [:],
    input: [UInt8] = [], timeout: Double = 60, mostBytes: Int = 1 << 20
  ) {
    (self.program, self.arguments, self.environment) = (program, arguments, environment)
    (self.input, self.timeout, self.mostBytes) = (input, timeout, mostBytes)
  }
}
