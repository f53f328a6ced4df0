import ArgumentParser
import SharedCommands

/// The command `moonlatch explore`, which visits every state that a flow can reach.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Goes through every state that a flow can reach, and says what holds in them.",
    discussion: """
      The flow's own gates and reducers run: what is proved is what runs. Actions
      are dispatched with every payload of finite types (booleans, one_of,
      integers with min and max), else with the samples of their types; timers
      come due, and effects end as the flow's text says that they can.

      It looks for invariants that break, functions that raise, states from which
      nothing leads on, actions that never pass and states of machines that are
      never reached. The shortest way to each fault is written as a scenario file
      that fails.

      A file NAME.explore.lua says which payloads come, where it begins and ends,
      what effects end with, and what must hold in every state, in some state, of
      every step, or at some time.

      --suite writes few scenarios that show all that the flow does: each way that
      machines take and each set of places that actions write, by hand and by
      timers and effects, and each refusal. --cover says what of that scenarios
      show already. --against says how the flow differs from an earlier version:
      what passes in one of them alone, and places of the same name that differ.

      --align explains a recorded log: what is the least that there is too much of,
      or that is missing, for its cases to be runs of the flow. It is read as
      moonlatch replay reads it; when events happened does not matter, nor whether
      a case has come to an end.

      --random walks by chance where there is no end of states, or no finite number
      of payloads: those that have no samples are drawn from their types. What does
      not hold is told with the fewest steps that are left of such a walk.

      EXAMPLES:
        moonlatch explore elevator.lua
        moonlatch explore two-phase-commit.explore.lua
        moonlatch explore elevator.lua --max-states 1000000 --write found
        moonlatch explore elevator.lua --graph elevator.dot
        moonlatch explore elevator.lua --suite tests --report jsonl=found.jsonl
        moonlatch explore elevator.lua --cover .
        moonlatch explore elevator.lua --against old/elevator.lua
        moonlatch explore fines.explore.lua --align log.csv
        moonlatch explore elevator.lua --random --seed 7 --walks 10000

      EXIT CODES:
        0   all states were gone through, and nothing was found
        1   something does not hold, the flow differs from the old one, a case of a
            log deviates, or a scenario of --suite or --cover does not pass
        2   a flow or a log could not be loaded, or cannot be explored
        3   a file could not be written
        6   a bound was reached before all states were seen, or before all cases were
            aligned, or it has walked, and nothing was found
        70  an internal error: please report it
        130 interrupted
      """)

  @Argument(
    help: ArgumentHelp(
      "The flows' files, or NAME.explore.lua, which say more.", valueName: "flow"),
    completion: .file(extensions: ["lua", "scxml"]))
  var flows: [String]

  @OptionGroup(title: "How far") var bounds: ExploreBoundsOptions
  @OptionGroup(title: "By chance") var walking: ExploreWalkingOptions
  @OptionGroup(title: "How it runs") var running: ExploreRunningOptions
  @OptionGroup(title: "What is written") var writing: ExploreWritingOptions
  @OptionGroup(title: "What it is compared with") var comparing: ExploreComparingOptions
  @OptionGroup(title: "A recorded log") var aligning: ExploreAligningOptions
  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let session = ExploreSession(
      paths: flows, bounds: bounds, walking: walking, running: running, writing: writing,
      comparing: comparing, aligning: aligning, limits: limiting.limits)
    let status = try session.run()
    if status != .success { throw status }
  }
}
