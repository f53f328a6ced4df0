import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// A test of a running flow, step by step and without gaps.
///
/// The test sends actions and says exactly what each changes, receives what effects and timers dispatch, moves the
/// virtual clock, and finishes. A change, an action or a running effect that the test did not expect is a failure.
///
/// ```swift
/// let price = CapabilityStub(always: 250)
/// let tester = try await FlowTester(flow: url) { $0.root.provide("price", price) }
/// try await tester.send("order", ["destination": "Rome"]) {
///   $0["order"] = "Rome"
///   $0["kiosk"] = "pricing"
/// }
/// try await tester.receive("priced", ["cents": 250]) {
///   $0["price"] = 250
///   $0["kiosk"] = "paying"
/// }
/// try await tester.refuse("pay", ["cents": 1], because: "not enough")
/// try await tester.advance(.seconds(60))
/// try await tester.receive("cancel") {
///   $0["order"] = nil
///   $0["kiosk"] = "idle"
/// }
/// try await tester.finish()
/// ```
///
/// A closure changes a copy of the state; machines are fields of it. A step that changes nothing needs none. A tester
/// follows one instance, a `FlowHost` or a `Case`, and is used by one test at a time. Every failure is thrown as a
/// `FlowTestFailure`.
public final class FlowTester<Instance: FlowInstance>: Sendable {
  /// The progress of the test.
  struct Progress {
    /// The state as the test has followed it.
    var state: Value
    /// The latest revision that the test has sent or received.
    var revision: Int
    var isFinished = false
  }

  /// The host or the case that is tested.
  public let instance: Instance
  /// False if the test may leave out changes, and what it receives.
  public let isExhaustive: Bool
  let progress: Mutex<Progress>
  let received: ReceivedCommits
  let reportLog: ReportLog
  private let subscription: ViewSubscription
  let patience: Duration

  /// Makes a test of a host or a case, from its present state on.
  ///
  /// - Parameters:
  ///   - instance: the host or the case, on a virtual clock if the test is to advance it.
  ///   - isExhaustive: false if the test may leave out changes, and what it receives.
  ///   - patience: the longest time to wait for what is received, and for running effects at the end.
  /// - Throws: an error of the host or the journal.
  public convenience init(
    _ instance: Instance, isExhaustive: Bool = true, patience: Duration = .seconds(5)
  ) async throws {
    try await self.init(instance, isExhaustive, patience, ReportLog())
  }

  init(
    _ instance: Instance, _ isExhaustive: Bool, _ patience: Duration, _ reportLog: ReportLog
  ) async throws {
    let received = ReceivedCommits()
    subscription = try await instance.observe { received.add($0) }
    let (state, revision) = try await instance.state(fresh: true)
    received.drop(upTo: revision)
    (self.instance, self.isExhaustive, self.patience) = (instance, isExhaustive, patience)
    (self.received, self.reportLog) = (received, reportLog)
    progress = Mutex(Progress(state: state, revision: revision))
  }

  deinit {
    let left = received.all
    if !isExhaustive || left.isEmpty || progress.withLock(\.isFinished) { return }
    Terminal.writeError(
      "a FlowTester of \(instance.id) was released without finish(), and has not received "
        + "\(FlowTester.list(left))\n")
  }

  /// The state as the test has followed it: after the latest action that it has sent or received.
  public var state: Value { progress.withLock(\.state) }

  /// The reports of the host so far, if the tester has made the host.
  public var reports: [HostReport] { reportLog.all }

  /// Advances the virtual clock; what timers dispatch is to be received.
  ///
  /// - Throws: `HostError` if the clock is real; an error of the host or the journal.
  public func advance(_ duration: Duration) async throws { try await instance.advance(duration) }

  // MARK: Steps

  /// The longest time to wait for a commit to be observed that was made already: on a busy machine it is long.
  static var delivery: Duration { .seconds(60) }

  /// Waits until a condition holds; returns false if it does not within a time, by default the test's patience.
  func wait(
    for time: Duration? = nil, until condition: @Sendable () async throws -> Bool
  ) async throws -> Bool {
    let end = ContinuousClock.now + (time ?? patience)
    while try await !condition() {
      if ContinuousClock.now > end { return false }
      try await Task.sleep(for: .milliseconds(1))
    }
    return true
  }

  /// Follows a commit: applies the expected changes to a copy of the state, and compares it with the state after the
  /// commit.
  func follow(
    _ commit: Commit, _ changes: (inout Value) throws -> Void, _ place: TestPlace
  ) throws {
    let before = state
    let after = before.applying(commit.changes)
    progress.withLock { ($0.state, $0.revision) = (after, commit.revision) }
    var expected = isExhaustive ? before : after
    try changes(&expected)
    let differences = expected.leaves(changedTo: after)
    if differences.isEmpty { return }
    let lines = differences.map { leaf in
      "\n  \(leaf.path): expected \(FlowTester.text(leaf.old)), found \(FlowTester.text(leaf.new))"
    }
    throw place.failure(
      "\(FlowTester.title(commit)) did not change the state as expected:\(lines.joined())")
  }

  static func text(_ value: Value) -> String {
    value.isNil ? "no value" : value.text(limit: 300)
  }

  /// Returns a commit with its payload and revision: `paid { receipt = "r-1" } (#3)`.
  static func title(_ commit: Commit) -> String {
    let payload = commit.payload
    return
      "\(commit.action)\(payload.isEmptyTable ? "" : " " + text(payload)) (#\(commit.revision))"
  }

  static func list(_ commits: [Commit]) -> String {
    commits.map { title($0) }.joined(separator: ", ")
  }
}

/// The line of a test that a failure names.
struct TestPlace: Sendable {
  let file: String
  let line: Int

  func failure(_ message: String) -> FlowTestFailure {
    FlowTestFailure(message: message, file: file, line: line)
  }
}
