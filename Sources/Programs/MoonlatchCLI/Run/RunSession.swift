import ArgumentParser
import FlowKernel
import HostFiles
import LuaRuntime
import Platform
import Scenarios
import SharedCommands

/// One run of `moonlatch run`, from its arguments to its exit code.
struct RunSession {
  var paths: [String]
  /// The paths of the command line, also if only some of them run again.
  let given: [String]
  let selecting: RunRequest.Selecting
  let running: RunRequest.Running
  let telling: RunRequest.Telling
  let limits: Limits

  init(_ request: RunRequest) {
    paths = request.paths
    given = request.paths
    selecting = request.selecting
    running = request.running
    telling = request.telling
    limits = request.limits
  }

  /// Runs the selected scenarios, once or after each change.
  func run() throws -> ExitCode {
    if running.debug { return try debug() }
    return running.watch ? try WatchLoop(session: self).run() : try runOnce()
  }

  /// Runs the selected scenarios once.
  func runOnce() throws -> ExitCode {
    let filter = try makeFilter()
    let selection = selection
    let shard = try shard()
    var shardPlan: RunPlan?
    var receipt: ShardReceipt?
    if let shard {
      var plan = RunPlan(selection, filter: filter, limits: settings.limits)
      receipt = plan.keep(shard, durations: try durations())
      shardPlan = plan
    }
    if selecting.list {
      return list(shardPlan ?? RunPlan(selection, filter: filter, limits: settings.limits))
    }
    var header = RunHeader()
    header.tool = "moonlatch \(Release.text)"
    header.seed = seed
    header.isShuffled = running.shuffle
    header.repeats = running.repeat
    header.hasRestarts = running.restarts
    header.shard = receipt
    let work = shardPlan.map { jobs(of: $0) } ?? plan(selection, filter)
    // Signals are watched before reports are begun, so that they get their ends; a single scenario ends soon.
    if case .jobs = work { Interrupts.watch() }
    let output = try makeOutput()
    try output.hear(.began(header))
    for note in work.notes { try output.hear(.nothing(note)) }
    if let shard, let receipt { output.write(line(for: shard, receipt)) }
    let stopped = try perform(work, output)
    let end = try output.finish(stopped)
    if !output.ran.isEmpty {
      var last = LastRun()
      last.keep(ran: output.ran, failed: output.failed)
    }
    if end.summary.isEmpty && work.notes.isEmpty && stopped == nil && (receipt?.selected ?? 0) == 0
    {
      Terminal.writeError("moonlatch: no scenario is selected\(reason(filter))\n")
    }
    // A shard without work is not an empty selection.
    if let receipt, receipt.selected > 0, receipt.planned.isEmpty, stopped == nil {
      return .success
    }
    let status = ExitStatus.of(end)
    return status == .success && output.lacksCoverage ? ExitStatus.failed : status
  }

  // MARK: Selecting scenarios

  var selection: Selection { Selection(paths, reaching: given) }

  private enum Work {
    /// One scenario of an open file, or events that can be reported at once.
    case here([RunEvent], notes: [String], (OpenFile, ScenarioFile.Entry)?)
    case jobs([RunJob], notes: [String])

    var notes: [String] {
      switch self {
      case .here(_, let notes, _), .jobs(_, let notes): notes
      }
    }
  }

  private func plan(_ selection: Selection, _ filter: ScenarioFilter) -> Work {
    if selection.items.count == 1, !needsWorkers {
      return planOne(selection.items[0], selection, filter)
    }
    // Reading many files first would take as long as running them. The line of PATTERN:LINE is looked up in all its
    // files together.
    let isPlain =
      filter.isEmpty && !running.shuffle && running.repeat == 1
      && selection.items.allSatisfy(\.patterns.isEmpty)
    if isPlain, selection.items.count > 4 * jobs {
      return .jobs(selection.jobs, notes: selection.notes)
    }
    return jobs(of: RunPlan(selection, filter: filter, limits: settings.limits))
  }

  private func planOne(_ item: Selection.Item, _ selection: Selection, _ filter: ScenarioFilter)
    -> Work
  {
    do {
      let open = try Runner(settings: settings).open(item)
      var plan = RunPlan(open, item, filter: filter)
      plan.notes = selection.notes + plan.notes
      guard plan.units.count == 1, running.repeat == 1, let entry = plan.units[0].entry else {
        return jobs(of: plan)
      }
      return .here([], notes: plan.notes, (open, entry))
    } catch {
      let told = RunEvent.unloadable(file: item.name, message: "\(error)")
      return .here([told], notes: selection.notes, nil)
    }
  }

  private func jobs(of plan: RunPlan) -> Work {
    var jobs = plan.jobs(repeats: running.repeat)
    if running.shuffle { jobs.shuffle(seed: seed) }
    return .jobs(jobs, notes: plan.notes)
  }

  /// True if scenarios may have to be killed, so that they run in other processes.
  private var needsWorkers: Bool { running.timeout != nil || running.totalTimeout != nil }

  func makeFilter() throws -> ScenarioFilter {
    var filter = ScenarioFilter()
    filter.texts = selecting.filter
    if let tag = selecting.tag {
      do {
        filter.tags = try TagExpression(tag)
      } catch {
        throw ValidationError("\(error).")
      }
    }
    if selecting.lastFailed {
      let last = LastRun()
      if !last.isKnown {
        Terminal.writeError("moonlatch: there is no last run in this folder\n")
      }
      filter.among = last.failed
    }
    return filter
  }

  func reason(_ filter: ScenarioFilter) -> String {
    if selecting.lastFailed && filter.among?.isEmpty == true { return ": nothing failed" }
    return filter.isEmpty ? "" : " by these options"
  }

  // MARK: Running

  private var jobs: Int { running.jobs ?? SystemThread.cores }

  var settings: PlaySettings {
    var settings = PlaySettings()
    settings.limits = limits
    settings.seed = seed
    settings.tellsEveryStep = telling.verbose
    settings.notesCoverage = telling.coverage
    settings.restarts = running.restarts
    if running.live {
      settings.live = LiveSettings(
        hostFile: HostFileChoice(option: running.hostFile), allowsPrivate: running.allowPrivate,
        allowsCommands: running.allowCommands)
    }
    let isCI = !["", "0", "false"].contains(Environment.value("CI", or: ""))
    settings.snapshots = running.update ? .update : isCI ? .keepAll : .keep
    return settings
  }

  private var seed: UInt64 { running.seed ?? (running.shuffle ? RunSession.randomSeed : 0) }

  /// One seed for the process, so that a random order can be repeated.
  private static let randomSeed = UInt64.random(in: 1...999_999)

  func makeOutput() throws -> RunOutput {
    var reports: [ReportFile] = []
    let inputs = selecting.timings + selection.items.map(\.path)
    for (index, target) in telling.report.enumerated() {
      do {
        let earlier = telling.report.prefix(index).compactMap(\.path)
        reports.append(try ReportFile(target, sparing: inputs + earlier))
      } catch {
        throw ValidationError("\(error).")
      }
    }
    guard reports.count(where: \.takesOutput) < 2 else {
      throw ValidationError("Only one report can go to standard output.")
    }
    let detail: TextReport.Detail = telling.quiet ? .quiet : telling.verbose ? .verbose : .normal
    return RunOutput(
      TextReport(detail, seed: seed), coverageMin: telling.coverageMin,
      hasRestarts: running.restarts, reports: reports)
  }

  private func perform(_ work: Work, _ output: RunOutput) throws -> RunEnd.Stopped? {
    switch work {
    case .here(let events, _, let scenario):
      for event in events { try output.hear(event) }
      if let (open, entry) = scenario {
        var coverage: CoverageRecord?
        try output.hear(
          Runner(settings: settings).play(entry, of: open) { coverage = $0 })
        if let coverage { try output.take(.covered(coverage)) }
      }
      return nil
    case .jobs(let jobs, _): return try perform(jobs, output)
    }
  }

  private func perform(_ jobs: [RunJob], _ output: RunOutput) throws -> RunEnd.Stopped? {
    if running.shuffle { output.write("shuffled with --seed \(seed)\n") }
    guard !jobs.isEmpty else { return nil }
    var options = Batch.Options(command: Worker.command)
    options.workers = min(self.jobs, jobs.count)
    options.settings = settings
    options.timeout = running.timeout?.duration
    options.deadline = running.totalTimeout.map { .now + $0.duration }
    options.failsFast = running.failFast
    var problem: (any Error)?
    let batch = Batch(
      jobs, options: options, isInterrupted: { Interrupts.signal != 0 || problem != nil },
      show: { output.show($0) },
      report: { event in
        do { try output.take(event) } catch { problem = error }
      })
    let stopped = try batch.run()
    if let problem { throw problem }
    return stopped
  }
}

extension Array {
  /// Shuffles the elements into an order that depends on the seed alone.
  fileprivate mutating func shuffle(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    shuffle(using: &generator)
  }
}
