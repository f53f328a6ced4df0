import CExplore
import FlowKernel
import Platform

/// An exploration of a flow: a search through every state that its own gates and reducers can reach.
public struct Exploration {
  package let flow: LoadedFlow
  var setup: ExplorationSetup
  /// The name of the exploration in its exploration file; nil without such a file.
  public private(set) var name: String?
  /// The path of the exploration file, as messages name it.
  public private(set) var file: String?
  /// The bounds of the search.
  public var bounds = ExplorationBounds()
  /// The number of threads of the search.
  ///
  /// The findings do not depend on it.
  public var jobs = SystemThread.cores
  /// True if every learned decision is played again, as a check, wherever it is used.
  public var verifies = false
  /// True if a sample of the decisions is checked when `verifies` is false.
  var checksSome = true
  /// The number of misses after which a move or question is played each time instead of learned.
  ///
  /// It also has to miss at every second use of late. Nil selects the usual number.
  package var playsAfter: Int?
  /// The largest number of states that are searched again without symmetry reduction.
  package var mostUnreduced: UInt64 = 1_000_000
  /// The format of the graph in the report; nil for no graph.
  public var graph: ExploredGraphFormat?
  /// True if the report also lists all faults in the form that `ReferenceSearch` reports.
  package var collectsFaults = false
  /// Called with the explored states after the search; they stay valid as long as the value is held.
  package var finished: ((ExploredStates) throws -> Void)?
  /// Called from time to time with the progress of the search.
  public var progress: ((Progress) -> Void)?
  /// Polled often, on any thread; the search stops once it returns true.
  public var isStopped: (@Sendable () -> Bool)?

  /// The progress of an exploration.
  public struct Progress: Sendable {
    /// The number of distinct states so far, and the number of those that are not expanded yet.
    public let states, frontier: Int
    /// The level of the search that is being expanded.
    public let depth: Int
    /// The memory of a state in bytes, including its predecessor.
    public let bytesPerState: Double
    /// The places of the state that took new values at every recent depth: the state space may be infinite.
    public let growing: [String]
  }

  /// Creates an exploration with every payload of finite types, or with samples.
  ///
  /// - Parameters:
  ///   - host: the host whose rules and reducers take part, and whose limits apply.
  ///   - drawing: true to draw payloads at random if there are neither finite types nor samples. Only `walk` supports
  ///     this.
  /// - Throws: `ExplorationError`, which says what is missing.
  public init(
    _ flow: LoadedFlow, for host: HostOptions? = nil, drawing: Bool = false
  ) throws(ExplorationError) {
    self.flow = flow
    var setup = try ExplorationSetup(flow, draws: drawing)
    setup.host = host
    self.setup = setup
  }

  /// The file and the interval of checkpoints, from which a stopped or killed search can resume; nil for none.
  public var checkpoint: CheckpointPlan?
  /// The checkpoint from which the search resumes; nil to begin anew.
  public var resumes: ExplorationCheckpoint?

  /// The identity of this exploration, which a checkpoint stores.
  var identity: CheckpointIdentity { CheckpointIdentity(flow, setup, bounds, name: name) }

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, name: String, in file: String) {
    (self.flow, self.setup) = (flow, setup)
    (self.name, self.file) = (name, file)
  }

  /// Runs the search.
  ///
  /// - Throws: `ExplorationError` if the flow cannot be explored, `OutputFile.Refused` if a checkpoint cannot be
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
        "\(alike.place): alike explores one of several symmetric states, but a graph, a suite, coverage and a "
          + "comparison need all states: explore without alike for these"
      )
    }
    // Fail at once, not after hours, if the file cannot be written.
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
        "\(within.place): within returns false in every initial state, so there is nothing to explore"
      )
    }
    let report = try report(of: session, status)
    try finished?(ExploredStates(session, report.ending))
    return report
  }

  /// Creates a search that reports its progress and ends when `isStopped` returns true.
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
