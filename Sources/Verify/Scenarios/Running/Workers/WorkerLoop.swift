import LuaRuntime
import Platform

/// The loop of a worker process: it reads jobs, plays their scenarios and reports how they end.
///
/// The loop ends when its input is closed. Each result has left the process before the next scenario begins, so that a
/// crash costs only the scenario that is running.
package struct WorkerLoop {
  private var reader = FrameReader()
  private var writer = FrameWriter()
  private let input: Int32
  private let output: Int32
  /// The file of the latest job, which stays open because each of its scenarios may come as a separate job.
  private var latest: (item: Selection.Item, open: OpenFile)?

  private init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  /// Runs the loop in a worker process until its input is closed.
  package static func run(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    // The process that started the worker handles the terminal's signals and ends the worker.
    for number in [SIGINT, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
    work(input: input, output: output)
  }

  /// Runs the loop without changing the process's handling of signals.
  static func work(input: Int32, output: Int32) {
    var loop = WorkerLoop(input: input, output: output)
    guard let settings = loop.next().flatMap(PlaySettings.init) else { return }
    let runner = Runner(settings: settings)
    while let job = loop.next().flatMap(RunJob.init) { loop.work(on: job, with: runner) }
  }

  private mutating func next() -> Value? {
    while true {
      if let value = reader.next() { return value }
      guard writer.flush(to: output), reader.fill(from: input) else { return nil }
    }
  }

  private mutating func work(on job: RunJob, with runner: Runner) {
    do {
      let open = try open(job.item, with: runner)
      for entry in entries(of: open.file, for: job) {
        if entry.reasonToSkip(runner.settings) == nil { sendBeginning(entry, of: open.file, job) }
        let event = runner.play(entry, of: open, attempt: job.attempt) { coverage in
          sendMessage(.event(job: job.number, .covered(coverage)))
        }
        sendMessage(WorkerMessage(event, job: job.number))
        if case .unloadable = event { break }
      }
    } catch {
      sendMessage(
        .event(
          job: job.number, .unloadable(file: job.item.name, message: error.description)))
    }
    sendMessage(.done(job: job.number))
  }

  private mutating func open(
    _ item: Selection.Item, with runner: Runner
  ) throws(OpenFile.Unloadable) -> OpenFile {
    if let latest, latest.item == item { return latest.open }
    latest = nil
    let open = try runner.open(item)
    latest = (item, open)
    return open
  }

  private mutating func entries(of file: ScenarioFile, for job: RunJob) -> [ScenarioFile.Entry] {
    var entries = file.entries
    if let wanted = job.entries {
      // Most jobs name one of many scenarios.
      entries = wanted.sorted().filter { entries.indices.contains($0 - 1) }.map { entries[$0 - 1] }
    } else {
      var notes: [String] = []
      entries = file.select(job.item) { event in
        if case .nothing(let note) = event { notes.append(note) }
      }
      if job.after == 0 {
        for note in notes { sendMessage(.event(job: job.number, .nothing(note))) }
      }
    }
    return entries.filter { $0.index > job.after }
  }

  private mutating func sendBeginning(
    _ entry: ScenarioFile.Entry, of file: ScenarioFile, _ job: RunJob
  ) {
    var scenario = ScenarioRecord(
      file: file.name, line: entry.line, name: entry.name, status: .crashed)
    scenario.tags = entry.tags
    scenario.attempt = job.attempt
    sendMessage(.begins(job: job.number, scenario: scenario, index: entry.index))
    _ = writer.flush(to: output)
  }

  private mutating func sendMessage(_ message: WorkerMessage) { writer.add(message.value) }
}
