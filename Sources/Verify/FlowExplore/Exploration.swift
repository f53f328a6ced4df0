import CExplore
import FlowKernel
import Platform

/// An exploration of a flow: every state that it can reach, by its own gates and reducers.
public struct Exploration {
  package let flow: LoadedFlow
  var setup: ExplorationSetup
  /// What the file calls it that says it; nil where there is none.
  public private(set) var name: String?
  /// That file, as messages name it.
  public private(set) var file: String?
  /// How far it goes.
  public var bounds = ExplorationBounds()
  /// How many threads it takes.
  ///
  /// What it finds does not depend on that.
  public var jobs = SystemThread.cores
  /// Whether every decision that was learned is played once more wherever it is used.
  public var verifies = false
  /// Whether some are, where not all are.
  var checksSome = true
  /// Moves and questions that miss so often, and of late at every second time, are played from then on.
  ///
  /// Nil: as often as is usual.
  package var playsAfter: Int?
  /// The largest number of states that are searched again without symmetry reduction.
  package var mostUnreduced: UInt64 = 1_000_000
  /// The form in which the report is to have the graph; none without one.
  public var graph: ExploredGraphFormat?
  /// True if the report lists all faults by what they say, as a search does that learns nothing.
  package var collectsFaults = false
  /// Told of its states once it is over: they are there as long as somebody has them.
  package var finished: ((ExploredStates) throws -> Void)?
  /// Told from time to time how far it is.
  public var progress: ((Progress) -> Void)?
  /// Asked often, on any thread, whether it is to stop.
  public var isStopped: (@Sendable () -> Bool)?

  /// How far an exploration is.
  public struct Progress: Sendable {
    /// How many different states there are so far, and how many of them nobody has gone on from.
    public let states, frontier: Int
    /// The level that is gone through.
    public let depth: Int
    /// What a state takes, with where it came from.
    public let bytesPerState: Double
    /// Places of the state that have taken new values at every depth lately: it may have no end.
    public let growing: [String]
  }

  /// Explores with every payload of finite types, or with samples.
  ///
  /// - Parameters:
  ///   - host: the host whose rules and reducers take part, within its limits.
  ///   - drawing: whether payloads are drawn where there are neither finite types nor samples: `walk` alone can do
  ///     with those.
  /// - Throws: `ExplorationError` that says what is missing.
  public init(
    _ flow: LoadedFlow, for host: HostOptions? = nil, drawing: Bool = false
  ) throws(ExplorationError) {
    self.flow = flow
    var setup = try ExplorationSetup(flow, draws: drawing)
    setup.host = host
    self.setup = setup
  }

  /// Where it is kept, so that it can go on after it was stopped or killed.
  public var checkpoint: CheckpointPlan?
  /// The checkpoint from which it goes on.
  public var resumes: ExplorationCheckpoint?

  /// What a checkpoint says that it is of.
  var identity: CheckpointIdentity { CheckpointIdentity(flow, setup, bounds, name: name) }

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, name: String, in file: String) {
    (self.flow, self.setup) = (flow, setup)
    (self.name, self.file) = (name, file)
  }

  /// Goes through the states.
  ///
  /// - Throws: `ExplorationError` for what cannot be explored, `OutputFile.Refused` for a checkpoint that cannot be
  ///   written.
  public func run() throws -> ExplorationReport {
    do {
      return try search()
    } catch let error as ExplorationError {
      throw error.explained(by: setup.changedLocals)
    }
  }

  private func search() throws -> ExplorationReport {
    if let alike = setup.said.alike.first, graph != nil || finished != nil {
      throw ExplorationError(
        .setup,
        "\(alike.place): with alike one state is gone on from of those that are alike, so that neither a graph "
          + "nor a suite, coverage or a comparison can be told of all: explore without alike for these"
      )
    }
    // A file that cannot be written is known before hours have passed.
    if let checkpoint { _ = try CheckpointWriter(checkpoint.path) }
    let identity = checkpoint == nil && resumes == nil ? nil : identity
    let session = try makeSearch(resuming: resumes, as: identity)
    if let checkpoint {
      session.keep = { try $0.save(to: checkpoint.path) }
      session.keepEvery = checkpoint.every
    }
    session.ending = SearchEnd(after: bounds.time, isStopped)
    let status = try session.run()
    if let within = setup.said.within, explore_states(session.search) == 0, status == EXPLORE_OK {
      throw ExplorationError(
        .setup,
        "\(within.place): within says no where it begins, so that there is nothing to go on from")
    }
    let report = try report(of: session, status)
    try finished?(ExploredStates(session, report.ending))
    return report
  }

  /// Makes a search that reports its progress and ends when somebody stops it.
  func makeSearch(
    resuming checkpoint: ExplorationCheckpoint? = nil, as identity: CheckpointIdentity? = nil
  ) throws -> StateSearch {
    let session = try StateSearch(
      flow, setup, bounds, jobs: jobs, checks: verifies ? .all : checksSome ? .some : .none,
      resuming: checkpoint, as: identity)
    session.playsAfter = playsAfter
    session.ending = SearchEnd(isStopped)
    session.afterwards = SearchEnd(isStopped)
    if let progress {
      session.heardOfProgress = { session in
        let counts = explore_count(session.search)
        progress(
          Progress(
            states: Int(counts.distinct), frontier: Int(counts.frontier), depth: Int(counts.depth),
            bytesPerState: Double(counts.bytes) / Double(max(counts.distinct, 1)),
            growing: session.lock.locked { session.growing(at: Int(counts.depth)) }))
      }
    }
    return session
  }

  private func report(
    of session: StateSearch, _ status: explore_status
  ) throws -> ExplorationReport {
    let unreduced = status == EXPLORE_STOPPED ? nil : try checkSymmetry(of: session, status)
    var report = try ExplorationReport(session, status)
    if let unreduced { try unreduced.compare(with: report) }
    if collectsFaults { report.found = session.found }
    if report.ending == .stopped { return report }
    if let graph { report.graph = session.graph(graph, name ?? flow.name, report.ending) }
    return report
  }
}
