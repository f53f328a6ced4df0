import ArgumentParser
import FlowKernel
import SharedCommands

/// The command `moonlatch run`, which plays scenario files and reports failures.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs scenario files (*.scenario.lua), folders of them, or FILE:LINE.",
    discussion: """
      Each scenario runs on a new instance of the flow. Results are reported in the
      order of files and scenarios, no matter which ends first. The report goes to
      standard output. A path that selects nothing is reported on standard error; if
      no scenario is selected, the exit code is 4. Scenarios with the tag live are
      skipped without --live.

      EXAMPLES:
        moonlatch run                       every scenario below the current folder
        moonlatch run door.scenario.lua:12  the scenario at a line
        moonlatch run --tag "smoke and not slow" --jobs 4
        moonlatch run --last-failed --verbose
        moonlatch run --last-failed --debug
        moonlatch run --report junit=report.xml --report html=report.html
        moonlatch run --live --tag live     the scenarios that make real calls
      """)

  @Argument(
    help: """
      Files, folders, patterns ("**/door*"), FILE:LINE or PATTERN:LINE. Default: \
      the current folder.
      """, completion: .file(extensions: ["lua"]))
  var paths: [String] = ["."]

  @OptionGroup(title: "Selection") var selecting: SelectingOptions
  @OptionGroup(title: "Execution") var running: RunningOptions
  @OptionGroup(title: "Output") var telling: TellingOptions
  @OptionGroup var limiting: LimitOptions

  func validate() throws {
    if running.debug && (selecting.shard != nil || selecting.list || running.shuffle) {
      throw ValidationError("--debug excludes --shard, --list and --shuffle.")
    }
    if running.debug && !Terminal.isInteractive {
      throw ValidationError("--debug needs a terminal.")
    }
    if telling.coverageMin != nil && selecting.shard != nil {
      throw ValidationError(
        "--coverage-min needs all scenarios; a --shard runs only some of them.")
    }
  }

  func run() throws {
    if running.live { try ServeProgram.becomeForLiveCalls() }
    var request = RunRequest()
    request.paths = paths
    request.selecting = selecting.request
    request.running = running.request
    request.telling = telling.request
    request.limits = limiting.limits
    try request.run()
  }
}

/// The options that select scenarios.
struct SelectingOptions: ParsableArguments {
  @Option(help: "Only scenarios whose name contains this, ignoring case; may be repeated.")
  var filter: [String] = []

  @Option(help: "Only scenarios whose tags fit: a, b and not c, (a or b) and c.")
  var tag: String?

  @Flag(help: "Only scenarios that failed in the last run in this folder.")
  var lastFailed = false

  @Flag(help: "List the selected scenarios without running them.")
  var list = false

  @Option(
    help: ArgumentHelp(
      "Only this shard: 2/5, or auto to ask the scheduler.",
      discussion: """
        auto reads the variables of GitLab, CircleCI, Buildkite, Azure, Slurm arrays, Kubernetes \
        (with MOONLATCH_SHARDS, the total) and Bazel.
        """, valueName: "part"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "Split by the times of scenarios in this stream; may be repeated.",
      discussion: "Every shard needs the same files.", valueName: "jsonl"),
    completion: .file(extensions: ["jsonl"]))
  var timings: [String] = []

  fileprivate var request: RunRequest.Selecting {
    RunRequest.Selecting(
      filter: filter, tag: tag, lastFailed: lastFailed, list: list, shard: shard, timings: timings)
  }

  mutating func validate() throws {
    if !timings.isEmpty && shard == nil {
      throw ValidationError("--timings is only for --shard.")
    }
  }
}

/// The options for how scenarios run.
struct RunningOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "How many scenarios run in parallel. Default: one for each core.")
  var jobs: Int?

  @Flag(help: "Stop after the first scenario that fails.")
  var failFast = false

  @Option(help: "Run each scenario this many times.")
  var `repeat` = 1

  @Option(help: "The seed of random() in flows, and of --shuffle.")
  var seed: UInt64?

  @Flag(help: "Start scenarios in random order; the report keeps the order of files.")
  var shuffle = false

  @Flag(help: "Run again what a changed file affects, including flows and modules.")
  var watch = false

  @Flag(help: "At a terminal: stop at a failed expectation, with a prompt in that state.")
  var debug = false

  @Flag(help: "Overwrite the snapshots of expect.snapshot with the current values.")
  var update = false

  @Flag(help: "Restart the host after every turn: the same expectations must hold.")
  var restarts = false

  @Option(help: "The time limit of a scenario: 5, 500ms, 1h30m.")
  var timeout: TimeSpan?

  @Option(help: "The time limit of the whole run; exit code 124 if it is reached.")
  var totalTimeout: TimeSpan?

  @Flag(
    help: ArgumentHelp(
      "Run scenarios with the tag live too: they call what the host file names.",
      discussion: "moonlatch-serve makes the calls. A stub wins over the host file."))
  var live = false

  @Option(
    help: "With --live: the host file of the flows, or \"none\". Default: that of each flow.",
    completion: .file(extensions: ["lua"]))
  var hostFile: String?

  @Flag(help: "With --live: let http capabilities reach private addresses.")
  var allowPrivate = false

  @Flag(help: "With --live: let command capabilities run programs on this machine.")
  var allowCommands = false

  fileprivate var request: RunRequest.Running {
    RunRequest.Running(
      jobs: jobs, failFast: failFast, repeat: `repeat`, seed: seed, shuffle: shuffle, watch: watch,
      debug: debug, update: update, restarts: restarts, timeout: timeout,
      totalTimeout: totalTimeout, live: live, hostFile: hostFile, allowPrivate: allowPrivate,
      allowCommands: allowCommands)
  }

  mutating func validate() throws {
    if debug && (watch || jobs != nil || `repeat` != 1 || timeout != nil || totalTimeout != nil) {
      throw ValidationError(
        "--debug runs each scenario once, one at a time: it excludes --jobs, --repeat, --watch, "
          + "--timeout and --total-timeout.")
    }
    if hostFile != nil && !live { throw ValidationError("--host-file is only for --live.") }
    if allowPrivate && !live { throw ValidationError("--allow-private is only for --live.") }
    if allowCommands && !live { throw ValidationError("--allow-commands is only for --live.") }
    if let jobs, !(1...10_000).contains(jobs) {
      throw ValidationError("--jobs must be a number from 1 to 10000.")
    }
    if !(1...100_000).contains(`repeat`) {
      throw ValidationError("--repeat must be a number from 1 to 100000.")
    }
  }
}

/// The options for the output of a run.
struct TellingOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only failures and the final count.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print every dispatch with its outcome and patch.")
  var verbose = false

  @Flag(
    help: "Report which actions, gates, transitions and lines no scenario has covered.")
  var coverage = false

  @Option(
    help: ArgumentHelp(
      "Exit with code 1 if any coverage is lower, in percent; implies --coverage.",
      valueName: "percent"))
  var coverageMin: Double?

  @Option(
    help: ArgumentHelp(
      "Also write a report; may be repeated.",
      discussion: "FORMAT is jsonl, junit, tap, html or text, each with =FILE, or github.",
      valueName: "format=file"),
    completion: .list(ReportTarget.beginnings))
  var report: [ReportTarget] = []

  fileprivate var request: RunRequest.Telling {
    RunRequest.Telling(
      quiet: quiet, verbose: verbose, coverage: coverage || coverageMin != nil,
      coverageMin: coverageMin, report: report)
  }

  mutating func validate() throws {
    if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    if let coverageMin, !(0...100).contains(coverageMin) {
      throw ValidationError("--coverage-min must be a number from 0 to 100.")
    }
  }
}
