import FlowLanguage
import LuaRuntime

/// A capability that is performed outside of the process: each call opens a task.
package struct TaskCapability: Sendable {
  package let kind: TaskKind
  /// The queue of its tasks.
  package let queue: String
  /// The longest time from the call to the answer, in microseconds; nil if there is none.
  package let timeout: Int?
  /// The length of a worker's lease, in microseconds.
  package let lease: Int
  /// The number of lost leases after which a task is dead.
  package let attempts: Int
  /// The performer within the process; nil if workers claim its tasks.
  package let performer: LocalPerformer?
  /// The rules of a notification; nil for a capability that flows call.
  package let notification: NotificationRules?
  /// Returns the arguments of a call for the task; throws an error that names the wrong one.
  package let arguments: @Sendable ([Value]) throws -> Value
  /// Returns the faults of a result, each as a sentence.
  package let faults: @Sendable (Value) -> [String]
  /// Returns a result without faults, with the defaults of its type filled in.
  package let filled: @Sendable (Value) -> Value
  /// Returns arguments as they may be shown: with dots in place of secrets.
  package let hiding: @Sendable (Value) -> Value
  /// Returns a result as it may be shown.
  package let hidingResult: @Sendable (Value) -> Value

  package init(
    kind: TaskKind, queue: String, timeout: Int? = nil, lease: Int = 60_000_000,
    attempts: Int = 20, performer: LocalPerformer? = nil,
    notification: NotificationRules? = nil,
    arguments: @escaping @Sendable ([Value]) throws -> Value,
    faults: @escaping @Sendable (Value) -> [String] = { _ in [] },
    filled: @escaping @Sendable (Value) -> Value = { $0 },
    hiding: @escaping @Sendable (Value) -> Value = { $0 },
    hidingResult: @escaping @Sendable (Value) -> Value = { $0 }
  ) {
    (self.kind, self.queue, self.timeout) = (kind, queue, timeout)
    (self.lease, self.attempts, self.performer) = (lease, attempts, performer)
    self.notification = notification
    (self.arguments, self.faults, self.filled) = (arguments, faults, filled)
    (self.hiding, self.hidingResult) = (hiding, hidingResult)
  }
}

extension TaskCapability {
  /// Returns a notification, whose events a performer sends; it has the body of an event as arguments.
  ///
  /// No call opens its tasks, and a lost lease never ends them.
  package static func notification(
    _ name: String, _ rules: NotificationRules, by performer: LocalPerformer?
  ) -> TaskCapability {
    TaskCapability(
      kind: .notification, queue: "\(OpenTask.notificationScope).\(name)", attempts: .max,
      performer: performer, notification: rules, arguments: { .list($0) })
  }

  /// Returns a capability that is called and that nobody provides yet: its tasks are dead until somebody does.
  ///
  /// The names of its arguments are not known, so that a task keeps them in order; nor are their types, so that none of
  /// them is shown.
  package static func missing(_ name: String) -> TaskCapability {
    TaskCapability(
      kind: .missing, queue: name.lowercased(),
      arguments: { values in
        let count = values.lastIndex { !$0.isNil }.map { $0 + 1 } ?? 0
        return .list(Array(values.prefix(count)))
      },
      hiding: { _ in Secrets.dots }, hidingResult: { _ in Secrets.dots })
  }

  /// Returns the arguments of a task by name, also of one that was opened when nobody provided the capability.
  package func named(_ given: Value) -> Value {
    guard case .list(let values) = given else { return given }
    return (try? arguments(values)) ?? given
  }
}
