import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A host file: a Lua file that says who performs the capabilities of a flow.
///
/// ```lua
/// provide {
///   mail = worker { queue = "mail", lease = "5m", args = { "text" } },
/// }
/// ```
///
/// ```swift
/// let file = try HostFile(URL(filePath: "order.host.lua"))
/// let orders = try await Cases(of: order, in: store) { file.provide(to: &$0) }
/// ```
///
/// A call of `self:mail("...")` in an effect then opens a task, which a worker claims and answers over HTTP. The file
/// runs once, in a sandbox of its own with the limits of a flow; it may require modules from its folder.
///
/// `Cases` open tasks and take their answers; `moonlatch serve` on the same journal gives them to workers, sends the
/// requests, and runs the commands. A `FlowHost` with a journal only opens tasks: none is performed, and no answer is
/// taken, until `Cases` of that journal have its case.
public struct HostFile: Sendable {
  /// The file.
  public let file: URL
  /// The capabilities, in order of scope and name.
  package let capabilities: [HostCapability]
  /// The texts of the environment and of files that the file has read.
  package let texts: HostTexts
  /// The webhooks, in order of name.
  package let hooks: [HostHook]
  /// The notifications, in order of name.
  package let notifications: [HostNotification]
  private let patterns: HostFilePatterns
  private let functions: HostFunctions

  /// Loads a host file.
  ///
  /// - Throws: `FlowError` with each fault of the file, and its line; `ScriptError` if a limit ended the loading.
  public init(_ file: URL, limits: Limits = Limits()) throws {
    try self.init(file, limits: limits, reading: .process)
  }

  /// Loads a host file.
  ///
  /// - Parameter source: the origin of the texts of the environment and of files.
  /// - Throws: the same errors as the other initializer.
  package init(
    _ file: URL, limits: Limits = Limits(), reading source: HostTexts.Source
  ) throws {
    let reader = try HostFileReader(file, limits: limits, reading: source)
    self.file = file
    (texts, patterns, functions) = (reader.texts, reader.patterns, reader.functions)
    capabilities = reader.capabilities.sorted { ($0.scope, $0.name) < ($1.scope, $1.name) }
    hooks = reader.hooks.sorted { $0.name < $1.name }
    notifications = reader.notifications.sorted { $0.name < $1.name }
  }

  /// Returns the host file beside a flow, such as `order.host.lua` beside `order.lua`; nil if there is none.
  public static func beside(_ flow: URL) -> URL? {
    let name = flow.deletingPathExtension().lastPathComponent + ".host.lua"
    let file = flow.deletingLastPathComponent().appending(path: name)
    return access(file.path, F_OK) == 0 ? file : nil
  }

  /// Provides the capabilities to the scopes of a flow, and the notifications to its cases.
  public func provide(to scopes: inout HostScopes) { provide(to: &scopes, sender: nil) }

  /// Provides the capabilities to the scopes of a flow, and the notifications to its cases.
  ///
  /// - Parameters:
  ///   - sender: the client of `http` capabilities and of notifications; nil if another process performs them.
  ///   - runner: the runner of `command` capabilities; nil if another process performs them.
  package func provide(
    to scopes: inout HostScopes, sender: (any HTTPSender)?, runner: (any CommandRunner)? = nil
  ) {
    for capability in capabilities {
      scopes[capability.scope].provide(capability.name, task(of: capability, sender, runner))
    }
    for notification in notifications {
      scopes.capabilities.add(notification: notification.name, notification.capability(sender))
    }
  }

  /// The capabilities as the kernel calls them, by name with scope, such as `root.mail`.
  package var tasks: [String: TaskCapability] { tasks(sender: nil) }

  /// Returns the capabilities as the kernel calls them, by name with scope, such as `root.mail`.
  ///
  /// - Parameters:
  ///   - sender: the client of `http` capabilities; nil if another process performs them.
  ///   - runner: the runner of `command` capabilities; nil if another process performs them.
  package func tasks(
    sender: (any HTTPSender)?, runner: (any CommandRunner)? = nil
  ) -> [String: TaskCapability] {
    Dictionary(
      capabilities.map { ($0.title, task(of: $0, sender, runner)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the capabilities and notifications for the engine of a flow.
  ///
  /// - Parameters:
  ///   - sender: the client of `http` capabilities; nil if others perform them.
  ///   - runner: the runner of `command` capabilities; nil if others perform them.
  /// - Throws: `FlowError` if the file does not fit the flow.
  package func capabilities(
    for flow: Flow, sender: (any HTTPSender)?, runner: (any CommandRunner)? = nil
  ) throws(FlowError) -> Capabilities {
    let faults = faults(for: flow)
    if !faults.isEmpty { throw FlowError(faults) }
    var scopes = HostScopes()
    provide(to: &scopes, sender: sender, runner: runner)
    return scopes.capabilities
  }

  /// Throws if the file has a `command`, and must not.
  ///
  /// - Parameter areAllowed: true if it may have commands.
  package func expectAllowed(commands areAllowed: Bool) throws(CommandsNotAllowed) {
    if areAllowed { return }
    let commands = capabilities.filter { $0.kind == .command }
    if !commands.isEmpty { throw CommandsNotAllowed(capabilities: commands) }
  }

  /// Returns a fault for each capability of a scope that a flow does not declare, for each action that a webhook cannot
  /// dispatch, and for each action and view of a notification that the flow does not declare.
  package func faults(for flow: Flow) -> [Diagnostic] {
    let scopes = [ScopeDeclaration.root] + flow.scopes.map(\.name)
    let ofScopes = capabilities.filter { !scopes.contains($0.scope) }.map { capability in
      Diagnostic(
        file: capability.place.file, line: capability.place.line,
        message: "\(flow.file) declares no scope \(capability.scope)"
          + Names.suggestion(for: capability.scope, among: scopes))
    }
    return ofScopes + hooks.flatMap { $0.faults(for: flow) }
      + notifications.flatMap { $0.faults(for: flow) }
  }

  /// Runs the function of a webhook on an event.
  ///
  /// - Parameters:
  ///   - request: a record of the headers and the query.
  ///   - patience: the longest time for which it waits for a VM.
  /// - Throws: `ScriptError` or `HookAnswer.Misfit` if the function is at fault; `HostFunctions.Busy`.
  package func run(
    _ hook: HostHook, on event: Value, _ request: Value, patience: Duration = .seconds(5)
  ) async throws -> HookAnswer {
    try HookAnswer(
      try await functions.call(hook.run, [event, request], patience: patience).first ?? .nil)
  }

  private func task(
    of capability: HostCapability, _ sender: (any HTTPSender)?, _ runner: (any CommandRunner)?
  ) -> TaskCapability {
    TaskCapability(
      kind: capability.kind, queue: capability.queue,
      timeout: capability.timeout.map(EngineTime.microseconds),
      lease: EngineTime.microseconds(capability.lease), attempts: capability.attempts,
      performer: performer(of: capability, sender, runner),
      arguments: { [patterns] in try capability.record(of: $0, patterns) },
      faults: { [patterns] in capability.faults(ofResult: $0, patterns) },
      filled: { [patterns] in capability.filled(result: $0, patterns) },
      hiding: { capability.hiding($0) }, hidingResult: { capability.hiding(result: $0) })
  }

  private func performer(
    of capability: HostCapability, _ sender: (any HTTPSender)?, _ runner: (any CommandRunner)?
  ) -> LocalPerformer? {
    if let options = capability.http, let sender {
      return HTTPPerformer(
        capability: capability, options: options, sender: sender, functions: functions,
        patterns: patterns, texts: texts
      ).performer
    }
    if let options = capability.command, let runner {
      return CommandPerformer(
        capability: capability, options: options, runner: runner, patterns: patterns, texts: texts
      ).performer
    }
    return nil
  }
}
