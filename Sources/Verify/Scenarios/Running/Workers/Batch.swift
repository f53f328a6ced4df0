import LuaRuntime
import Platform

/// A batch of jobs that run on worker processes.
///
/// Events are reported in the order of the jobs, whichever is done first.
package final class Batch {
  /// The options of a batch.
  package struct Options {
    /// The number of worker processes.
    package var workers = 1
    /// The command that starts a worker.
    package var command: [String]
    package var settings = PlaySettings()
    /// The time that a scenario may take.
    package var timeout: Duration?
    /// The time at which the whole run has to be over.
    package var deadline: ContinuousClock.Instant?
    /// True if the first scenario or file that does not end well stops the run.
    package var failsFast = false

    package init(command: [String]) { self.command = command }
  }

  /// The progress of a batch.
  package struct Progress {
    package var summary = RunSummary()
    package var jobsDone = 0
    package var jobs: Int
    /// The file that has been running for the longest time.
    package var current: String?
  }

  let options: Options
  private var board: ReportBoard
  private var pending: [RunJob]
  private var workers: [WorkerProcess] = []
  private var progress: Progress
  private var stopped: RunEnd.Stopped?
  private let isInterrupted: () -> Bool
  private let show: (Progress) -> Void

  /// Makes a batch of jobs, which are started in the given order and reported in the order of their numbers.
  package init(
    _ jobs: [RunJob], options: Options, isInterrupted: @escaping () -> Bool,
    show: @escaping (Progress) -> Void, report: @escaping (RunEvent) -> Void
  ) {
    self.options = options
    self.isInterrupted = isInterrupted
    self.show = show
    pending = jobs.reversed()
    progress = Progress(jobs: jobs.count)
    board = ReportBoard(numbers: jobs.map(\.number), report: report)
  }

  /// Runs everything; returns the reason if it ended early.
  package func run() throws -> RunEnd.Stopped? {
    signal(SIGPIPE, SIG_IGN)  // a worker that has gone is noticed where it is read
    defer { for worker in workers { kill(worker); worker.end() } }
    while stopped == nil, try employ() {
      wait()
      watchTime()
    }
    let idle = workers
    workers = []
    for worker in idle {
      if stopped != nil { kill(worker) }
      worker.end()
    }
    board.flush()
    return stopped
  }

  // MARK: Giving work

  /// Gives jobs to idle workers; returns false if nothing is left to do.
  private func employ() throws -> Bool {
    while workers.count < options.workers, !pending.isEmpty,
      workers.count(where: { $0.jobs.isEmpty }) < pending.count
    {
      workers.append(
        try WorkerProcess(command: options.command, settings: options.settings))
    }
    // A worker has a few jobs in advance, so that none waits for us, and fewer towards the end, so that all are done at
    // the same time.
    let ahead = min(64, max(1, pending.count / (options.workers * 4)))
    for worker in workers where worker.jobs.count <= ahead / 2 {
      while worker.jobs.count < ahead, let job = pending.popLast() { worker.give(job) }
      worker.flush()
    }
    return workers.contains { !$0.jobs.isEmpty }
  }

  // MARK: Listening

  private func wait() {
    // Many small messages are read together: waking up for each would cost the workers time. No worker runs out of jobs
    // meanwhile, because none takes less than 50 microseconds.
    let fewest = workers.map(\.jobs.count).min() ?? 0
    if fewest > 1 { usleep(UInt32(min(50 * (fewest - 1), 1_000))) }
    var descriptors = workers.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
    let ready = poll(&descriptors, nfds_t(descriptors.count), 50)
    if ready > 0 {
      for (worker, descriptor) in zip(workers, descriptors) where descriptor.revents != 0 {
        listen(to: worker)
      }
    }
    if isInterrupted() { stopped = .interrupted }
    progress.current =
      workers.filter { $0.current != nil }.min { $0.since < $1.since }?
      .current?.scenario.file
    show(progress)
  }

  private func listen(to worker: WorkerProcess) {
    let isAlive = worker.receive()
    // The results that a worker has produced meanwhile are not reported after the failure that stops the run.
    while stopped != .failFast, let message = worker.nextMessage() { hear(message, from: worker) }
    if !isAlive && stopped != .failFast { bury(worker) }
  }

  private func hear(_ message: WorkerMessage, from worker: WorkerProcess) {
    switch message {
    case .begins(_, let scenario, let index):
      worker.current = (scenario, index)
      worker.since = .now
    case .passed(let job, let microseconds):
      guard var record = worker.current?.scenario else { return }
      record.status = .passed
      record.microseconds = microseconds
      worker.current = nil
      worker.since = .now
      deliverEvent(.ended(record), of: job)
    case .event(let job, let event):
      // Coverage comes before the end of its scenario.
      if case .covered = event {} else { worker.current = nil }
      worker.since = .now
      deliverEvent(event, of: job)
    case .done(let job):
      worker.jobs.removeAll { $0.number == job }
      worker.current = nil
      worker.since = .now
      finish(job)
    }
  }

  private func deliverEvent(_ event: RunEvent, of job: Int) {
    progress.summary.count(event)
    board.add(event, of: job)
    if options.failsFast && !event.isWell && stopped == nil { stopped = .failFast }
  }

  private func finish(_ job: Int) {
    progress.jobsDone += 1
    board.finish(job)
  }

  // MARK: What goes wrong

  private func watchTime() {
    let now = ContinuousClock.now
    if let deadline = options.deadline, now > deadline, stopped == nil { stopped = .outOfTime }
    guard let timeout = options.timeout else { return }
    for worker in workers where !worker.jobs.isEmpty && now - worker.since > timeout {
      worker.isOutOfTime = true
      kill(worker)
    }
  }

  private func kill(_ worker: WorkerProcess) {
    worker.kill(endsPrograms: options.settings.live?.allowsCommands == true)
  }

  /// Handles the end of a process: the current scenario is lost, the other jobs go to other workers.
  private func bury(_ worker: WorkerProcess) {
    workers.removeAll { $0 === worker }
    let ending = worker.end()
    guard var job = worker.jobs.first else { return }
    pending += worker.jobs.dropFirst().reversed()
    let limit = options.timeout.map { DurationText.text($0) } ?? ""
    if var record = worker.current?.scenario {
      record.status = worker.isOutOfTime ? .timedOut : .crashed
      record.microseconds = Int((ContinuousClock.now - worker.since) / .microseconds(1))
      record.problem =
        worker.isOutOfTime
        ? ProblemRecord(kind: "timeout", message: "it took longer than \(limit)")
        : ProblemRecord(kind: "crash", message: "\(ending) while this scenario ran")
      deliverEvent(.ended(record), of: job.number)
      job.after = worker.current?.index ?? 0
      pending.append(job)
    } else {
      let why =
        worker.isOutOfTime
        ? "loading it took longer than \(limit)" : "\(ending) while the file was loaded"
      deliverEvent(.unloadable(file: job.item.name, message: why), of: job.number)
      finish(job.number)
    }
  }
}

/// A buffer that holds back the events of a job until all jobs before it are finished.
struct ReportBoard {
  private var held: [Int: [RunEvent]] = [:]
  private var finished: Set<Int> = []
  private var numbers: [Int]
  private var position = 0
  private let report: (RunEvent) -> Void
  private var unloadable: Set<RunEvent> = []

  init(numbers: [Int], report: @escaping (RunEvent) -> Void) {
    self.numbers = numbers.sorted()
    self.report = report
  }

  mutating func add(_ event: RunEvent, of job: Int) {
    if position < numbers.count, numbers[position] == job {
      deliverEvent(event)
    } else {
      held[job, default: []].append(event)
    }
  }

  /// Reports an event; a problem of a file or its flow is reported once, however many jobs find it.
  private mutating func deliverEvent(_ event: RunEvent) {
    if case .unloadable = event, !unloadable.insert(event).inserted { return }
    report(event)
  }

  mutating func finish(_ job: Int) {
    finished.insert(job)
    while position < numbers.count, finished.remove(numbers[position]) != nil {
      position += 1
      guard position < numbers.count else { return }
      for event in held.removeValue(forKey: numbers[position]) ?? [] { deliverEvent(event) }
    }
  }

  /// Reports everything that is held back, because nothing more will come.
  mutating func flush() {
    for job in held.keys.sorted() { for event in held[job] ?? [] { deliverEvent(event) } }
    held = [:]
  }
}
