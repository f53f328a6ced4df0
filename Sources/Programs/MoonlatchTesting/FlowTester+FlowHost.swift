import FlowHosting
import FlowKernel
import Platform

extension FlowTester where Instance == FlowHost {
  /// Loads a flow and makes a test of a host that runs it on a virtual clock.
  ///
  /// Reports of the host are kept: a failed effect or action that nobody handled is a failure at the end.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; the modules that it requires are in the same folder.
  ///   - options: the options of the host, except for its clock and report.
  ///   - isExhaustive: false if the test may leave out changes, and what it receives.
  ///   - patience: the longest time to wait for what is received, and for running effects at the end.
  ///   - scopes: provides the functions that the flow's scopes lend to scripts, such as stubs.
  /// - Throws: as `FlowHost.init(flow:options:scopes:)`.
  public convenience init(
    flow: URL, options: HostOptions = HostOptions(), isExhaustive: Bool = true,
    patience: Duration = .seconds(5), scopes: @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    try await self.init(
      LoadedFlow(flow, limits: options.limits), options: options, isExhaustive: isExhaustive,
      patience: patience, scopes: scopes)
  }

  /// Makes a test of a host that runs a loaded flow on a virtual clock.
  ///
  /// - Throws: as `FlowHost.init(_:options:scopes:)`.
  public convenience init(
    _ flow: LoadedFlow, options: HostOptions = HostOptions(), isExhaustive: Bool = true,
    patience: Duration = .seconds(5), scopes: @Sendable (inout HostScopes) -> Void = { _ in }
  ) async throws {
    let reportLog = ReportLog()
    var options = options
    options.clock = .virtual
    options.report = { reportLog.add($0) }
    let host = try FlowHost(flow, options: options, scopes: scopes)
    try await self.init(host, isExhaustive, patience, reportLog)
  }
}
