import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// The host file that a server uses now, which a reload replaces as a whole.
package final class HostFileInUse: Sendable {
  private let current: Mutex<HostFile>
  private let flow: Flow
  private let limits: Limits
  /// The client of `http` capabilities; nil if another process performs them.
  package let sender: (any HTTPSender)?
  /// The runner of `command` capabilities; nil if another process performs them.
  package let runner: (any CommandRunner)?

  /// Uses a host file.
  ///
  /// - Parameters:
  ///   - sender: the client of `http` capabilities; nil if another process performs them.
  ///   - runner: the runner of `command` capabilities; nil if another process performs them.
  /// - Throws: `FlowError` if it does not fit the flow.
  package init(
    _ file: HostFile, for flow: Flow, limits: Limits, sender: (any HTTPSender)? = nil,
    runner: (any CommandRunner)? = nil
  ) throws(FlowError) {
    try HostFileInUse.expectFit(file, flow)
    current = Mutex(file)
    (self.flow, self.limits, self.sender, self.runner) = (flow, limits, sender, runner)
  }

  private static func expectFit(_ file: HostFile, _ flow: Flow) throws(FlowError) {
    let faults = file.faults(for: flow)
    if !faults.isEmpty { throw FlowError(faults) }
  }

  /// The file.
  package var file: HostFile { current.withLock { $0 } }

  /// Provides the capabilities to the scopes of a case that is activated now.
  package func provide(to scopes: inout HostScopes) {
    file.provide(to: &scopes, sender: sender, runner: runner)
  }

  /// Reads the file again, and uses it from now on.
  ///
  /// - Parameter check: throws if the new file must not be used.
  /// - Throws: `FlowError` or `ScriptError` if it has a fault; the earlier one then stays in use.
  package func reload(_ check: (HostFile) throws -> Void = { _ in }) throws {
    let file = file
    let new = try HostFile(file.file, limits: limits, reading: file.texts.source)
    try HostFileInUse.expectFit(new, flow)
    try check(new)
    current.withLock { $0 = new }
  }
}
