import LuaRuntime

/// A call of a capability that is performed outside of the process.
///
/// It belongs to the wait of the effect that has called, and is stored with it. The journal has a row for each open
/// task, which is inserted in the transaction of the entry that opens the task.
public struct OpenTask: Sendable, Hashable {
  /// The id of the call, equal at each try and in each process; open tasks have different ones.
  public internal(set) var call: String
  /// The number of this try, from 1 on, which grows: each attempt of a `retry` opens a task of its own.
  public let tryNumber: Int
  /// The number of the effect in its case.
  public let effect: Int
  /// The position of the call among the effect's calls.
  public let position: String
  /// The scope that lends the capability.
  public let scope: String
  /// The key of the scope instance that lends it; nil if it has none, or the host has opened it.
  public let scopeKey: Value
  /// The name of the capability.
  public let name: String
  /// The arguments: a list in order, or a record by name.
  public internal(set) var arguments: Value
  /// The performer, as the host file named it when the task was opened.
  public internal(set) var kind: TaskKind
  /// The name of the queue from which workers claim it.
  public internal(set) var queue: String
  /// True if it is performed at most once, because its effect does not resume after a restart.
  public let isOnce: Bool
  /// The time of the call, by the wall clock, in microseconds since 1970.
  public internal(set) var opened: Int
  /// The time at which it fails without an answer, in microseconds since 1970; nil if it waits for as long as it takes.
  public let deadline: Int?

  /// Makes a task.
  package init(
    call: String, tryNumber: Int, effect: Int, position: String, scope: String,
    scopeKey: Value = .nil, name: String, arguments: Value, kind: TaskKind, queue: String,
    isOnce: Bool, opened: Int, deadline: Int?
  ) {
    (self.call, self.tryNumber, self.effect, self.position) = (call, tryNumber, effect, position)
    (self.scope, self.scopeKey) = (scope, scopeKey)
    (self.name, self.arguments) = (name, arguments)
    (self.kind, self.queue, self.isOnce) = (kind, queue, isOnce)
    (self.opened, self.deadline) = (opened, deadline)
  }

  /// The call and the try, which identify a task in its case.
  package struct Key: Sendable, Hashable {
    package let call: ExactText
    package let tryNumber: Int

    package init(call: String, tryNumber: Int) {
      (self.call, self.tryNumber) = (ExactText(call), tryNumber)
    }
  }

  package var key: Key { Key(call: call, tryNumber: tryNumber) }

  /// The name of the capability with its scope, such as `root.charge`.
  public var capability: String { "\(scope).\(name)" }

  /// The scope of notifications, which no flow can declare.
  package static let notificationScope = "#notify"

  /// Returns the task with other arguments and another time of opening.
  package func with(arguments: Value, opened: Int) -> OpenTask {
    var task = self
    (task.arguments, task.opened) = (arguments, opened)
    return task
  }

  /// Returns the task under the id of another call, with other arguments.
  package func with(call: String, arguments: Value) -> OpenTask {
    var task = self
    (task.call, task.arguments) = (call, arguments)
    return task
  }

  /// Returns the task for another performer.
  package func performed(by kind: TaskKind, queue: String) -> OpenTask {
    var task = self
    (task.kind, task.queue) = (kind, queue)
    return task
  }
}

extension OpenTask: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(call)
    writer.writeCount(tryNumber)
    writer.writeCount(effect)
    writer.writeText(position)
    writer.writeText(scope)
    writer.write(scopeKey)
    writer.writeText(name)
    writer.write(arguments)
    writer.writeCount(kind.rawValue)
    writer.writeText(queue)
    writer.write(isOnce)
    writer.writeInteger(opened)
    writer.write(deadline) { $0.writeInteger($1) }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    call = try reader.readText()
    tryNumber = try reader.readCount()
    effect = try reader.readCount()
    position = try reader.readText()
    scope = try reader.readText()
    scopeKey = try reader.value()
    name = try reader.readText()
    arguments = try reader.value()
    guard let kind = TaskKind(rawValue: try reader.readCount()) else {
      throw ValueReader.Malformed()
    }
    self.kind = kind
    queue = try reader.readText()
    isOnce = try reader.readFlag()
    opened = try reader.readInteger()
    deadline = try reader.readOptional { reader throws(ValueReader.Malformed) in
      try reader.readInteger()
    }
  }
}
