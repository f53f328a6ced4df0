/// The program `moonlatch`.
package enum MoonlatchProgram {
  /// Runs the command and ends the process with its exit code.
  package static func main() { MoonlatchCommand.main() }
}
