import ArgumentParser
import Moonlatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `moonlatch repl`: a flow at a prompt.
struct ReplCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repl",
    abstract: "Plays a flow by hand.",
    discussion: """
      A line is an action (coin { amount = 1 }), a Lua expression or a Lua statement. A line that is
      not complete yet is continued on the next one; an empty line there drops it.
      Without a terminal there is no prompt, and the first error ends the run with exit code 3.
      """)

  @Argument(help: "The flow's file.")
  var flow: String

  @Flag(help: "Without a terminal: go on after an error.")
  var keepGoing = false

  func run() throws {
    let session: Session
    do {
      session = try Session(flow: URL(filePath: flow), name: flow)
    } catch {
      Terminal.writeError("\(error)\n")
      throw ExitStatus.unloadable
    }
    let status = Repl(session: session, isInteractive: Terminal.isInteractive, keepGoing: keepGoing)
      .run()
    if status != .success { throw status }
  }
}
