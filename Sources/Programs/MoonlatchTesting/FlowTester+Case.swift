import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

extension FlowTester where Instance == Case {
  /// Loads a flow and makes a test of a case of it on a virtual clock.
  ///
  /// ```swift
  /// let journal = MemoryJournal()
  /// let tester = try await FlowTester(case: "o-17", of: url, in: journal) { scopes in
  ///   scopes.root.provide("charge", charge)
  /// }
  /// ```
  ///
  /// Otherwise as `init(case:of:given:in:options:isExhaustive:patience:scopes:)` with a loaded flow.
  ///
  /// - Throws: `FlowError` or `ScriptError` if the flow cannot be loaded; as the initializer with a loaded flow.
  public convenience init(
    case id: String, of flow: URL, given: Value = [:], in journal: any Journal = MemoryJournal(),
    options: HostOptions = HostOptions(), isExhaustive: Bool = true,
    patience: Duration = .seconds(5),
    scopes: @escaping @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    try await self.init(
      case: id, of: LoadedFlow(flow, limits: options.limits), given: given, in: journal,
      options: options, isExhaustive: isExhaustive, patience: patience, scopes: scopes)
  }

  /// Makes a test of a case of a loaded flow on a virtual clock.
  ///
  /// The tester makes the `Cases`, and the case unless the journal has it already: a second tester with the same
  /// journal, once `close()` of the first has returned, goes on with the case as a new process would. Reports of
  /// the cases are kept: a failed effect or action that nobody handled is a failure at the end. Other cases can be
  /// used through `cases`.
  ///
  /// - Parameters:
  ///   - id: the case's id.
  ///   - flow: the flow of the case.
  ///   - given: the parts of a new case's state that differ from what the flow declares.
  ///   - journal: stores the case; by default until the test ends.
  ///   - options: the options of the case's host, except for its clock and report.
  ///   - isExhaustive: false if the test may leave out changes, and what it receives.
  ///   - patience: the longest time to wait for what is received, and for running effects at the end.
  ///   - scopes: provides the functions that the flow's scopes lend to scripts, such as stubs.
  /// - Throws: as `Cases.init(of:in:options:maximumActive:node:scopes:)` and `Cases.create(_:given:key:)`.
  public convenience init(
    case id: String, of flow: LoadedFlow, given: Value = [:],
    in journal: any Journal = MemoryJournal(), options: HostOptions = HostOptions(),
    isExhaustive: Bool = true, patience: Duration = .seconds(5),
    scopes: @escaping @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    let reportLog = ReportLog()
    var options = options
    options.clock = .virtual
    options.report = { reportLog.add($0) }
    let cases = try await Cases(of: flow, in: journal, options: options, scopes: scopes)
    let instance = cases[id]
    if try await instance.summary() == nil { try await cases.create(id, given: given) }
    try await self.init(instance, isExhaustive, patience, reportLog)
  }

  /// The cases to which the tested one belongs.
  public var cases: Cases { instance.cases }

  /// Closes the cases, as before a restart; afterwards another tester can go on with the case.
  ///
  /// Call `finish` before: it tells what was not received or is still running.
  ///
  /// - Throws: `JournalError` if a turn could not be stored.
  public func close() async throws { try await instance.cases.close() }
}
