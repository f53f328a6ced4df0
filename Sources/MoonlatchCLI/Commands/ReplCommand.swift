import ArgumentParser
import LuaRuntime
import Moonlatch
import Scenarios

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
      A line is an action (coin { amount = 1 }), a Lua expression or a Lua statement; s is the
      state. A line that is not complete yet goes on in the next one; an empty line drops it.
      Without a terminal there is no prompt, and the first error ends the run with exit code 3.
      """)

  @Argument(help: "The flow's file.")
  var flow: String

  @Flag(help: "Without a terminal: go on after an error (the exit code is 3 all the same).")
  var keepGoing = false

  func run() throws {
    let isInteractive = Terminal.isInteractive
    let session = try openSession(input: isInteractive ? "prompt" : "input")
    let status = Repl(session: session, isInteractive: isInteractive, keepGoing: keepGoing).run()
    if status != .success { throw status }
  }

  private func openSession(input: String) throws -> Session {
    do {
      return try Session(flow: URL(filePath: flow), name: flow, input: input) {
        Terminal.writeOutput($0 + "\n")
      }
    } catch let error as ScriptError {
      Terminal.writeError("\(error.report)\n")
    } catch let error as FlowError {
      Terminal.writeError("\(error.report)\n")
    } catch {
      Terminal.writeError("\(error)\n")
    }
    throw ExitStatus.unloadable
  }
}
