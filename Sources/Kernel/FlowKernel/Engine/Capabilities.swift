import LuaRuntime

/// The host's functions that scopes lend to scripts, by scope and name.
package struct Capabilities: Sendable {
  /// The function of a capability, which takes the key with which the host opened its scope, and the arguments.
  package enum Body: Sendable {
    case now(@Sendable (any Sendable, [Value]) throws -> Value)
    case later(@Sendable (any Sendable, [Value]) async throws -> Value)
    /// The call is performed outside of the process.
    case task(TaskCapability)
  }

  private var bodies: [String: [String: Body]] = [:]
  private var notifications: [String: TaskCapability] = [:]
  /// The faults of the provided capabilities, each as a sentence.
  package private(set) var faults: [String] = []
  /// The capabilities that durable effects wait for although nobody provides them; nil if their calls fail.
  package var missed: MissedCapabilities?
  /// The tasks of a host without a journal; nil if a call that opens a task fails without one.
  package var live: LiveTasks?

  package init() {}

  package mutating func add(_ name: String, to scope: String, _ body: Body) {
    bodies[scope, default: [:]][name] = body
  }

  /// Adds a notification of the host file.
  package mutating func add(notification name: String, _ notification: TaskCapability) {
    notifications["\(OpenTask.notificationScope).\(name)"] = notification
  }

  package mutating func fault(_ sentence: String) { faults.append(sentence) }

  package func body(_ name: String, in scope: String) -> Body? { bodies[scope]?[name] }

  /// True if one of them answers at once, and so blocks the thread that calls it.
  package var answersAtOnce: Bool {
    bodies.values.contains { $0.values.contains { if case .now = $0 { true } else { false } } }
  }

  /// True if a call may open a task.
  package var opensTasks: Bool {
    if missed != nil { return true }
    return bodies.values.contains {
      $0.values.contains { if case .task = $0 { true } else { false } }
    }
  }

  /// The capabilities that open tasks, by name with scope, such as `root.mail`, and the notifications.
  package var tasks: [String: TaskCapability] {
    var found = notifications
    for (scope, bodies) in bodies {
      for (name, body) in bodies {
        if case .task(let capability) = body { found["\(scope).\(name)"] = capability }
      }
    }
    return found
  }

  /// The scopes that have capabilities.
  package var scopes: [String] { bodies.keys.sorted() }
}
