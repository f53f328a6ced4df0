import ArgumentParser
import SharedCommands

/// The command `moonlatch explore`, which visits every state that a flow can reach.
struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Model checking: visits every reachable state of a flow and checks its properties.",
    discussion: """
      The model is the flow itself: its gates and reducers run. Actions are dispatched
      with every payload of finite types (booleans, one_of, integers with min and
      max), and with the samples of other types. Timers become due, and effects end
      with the results that their source allows.

      It finds violated invariants, functions that raise an error, deadlocks, actions
      that never pass and machine states that are never entered. The shortest path to
      each error is written as a scenario file that fails.

      An exploration file NAME.explore.lua declares payloads, initial states, bounds,
      results of effects, and properties: safety, reachability and liveness.

      --suite generates a small set of scenarios that shows every behaviour of the
      flow: the transitions that an action takes, or the places that it writes, by
      dispatch, timer or effect, and each refusal. --cover reports which of these
      behaviours existing scenarios show. --against compares the flow with an earlier
      version: actions that pass in only one of them, and values that differ.

      --align explains a recorded log: which events are too many, and which are
      missing, at the least cost. The log is read as by moonlatch replay. Times do not
      matter, and a case may be unfinished.

      --random simulates random walks, for flows with infinitely many states or
      payloads: payloads without samples are drawn from their types. Counterexamples
      are shrunk to the steps that are needed.

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
        0   all states were explored, and nothing was found
        1   a property is violated, the flow differs from the old one, a case of a log
            deviates, or a scenario of --suite or --cover fails
        2   a flow or a log could not be loaded, or cannot be explored
        3   a file could not be written
        6   nothing was found, but a bound was reached before all states were explored
            or all cases were aligned, or only random walks were simulated
        70  internal error: please report it
        130 interrupted
      """)

  @Argument(
    help: ArgumentHelp(
      "The flow files, or exploration files (NAME.explore.lua).", valueName: "flow"),
    completion: .file(extensions: ["lua", "scxml"]))
  var flows: [String]

  @OptionGroup(title: "Bounds") var bounds: ExploreBoundsOptions
  @OptionGroup(title: "Random walks") var walking: ExploreWalkingOptions
  @OptionGroup(title: "Execution") var running: ExploreRunningOptions
  @OptionGroup(title: "Output") var writing: ExploreWritingOptions
  @OptionGroup(title: "Comparison") var comparing: ExploreComparingOptions
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
