import FlowKernel
import FlowLanguage

/// A scope that a host declares, opens and closes itself, with keys that scripts cannot obtain.
///
/// ```swift
/// let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
/// let host = try FlowHost(flow: url) { scopes in scopes.declare(staff) }
/// let opening = try host.open(staff, with: badge)
/// try host.dispatch("refund", ["cents": 250])
/// try opening.close()
/// ```
///
/// To the flow it is a scope like any other: its actions pass only while it is open, their effects receive
/// its instance as `self`, other effects reach it by `self:unlock("staff")` on its parent's instance, and
/// while it is locked the refusals are the usual ones. But it does not follow from the state: no reducer
/// opens it, `unlock` with a key of the script's own is refused, and the key cannot be read.
///
/// The host may hold it open with several keys at a time, each a scope instance of its own: its actions pass
/// as long as there is one. An action that is dispatched through an instance
/// (`HostScopeInstance.dispatch(_:_:)`) runs its effects in that instance, and so does all that follows from
/// them. Other actions run theirs in the newest instance.
public struct KeyedScope<Key: Sendable>: Sendable {
  /// The scope's name in scripts.
  public let name: String
  /// The parent scope: root, a scope of the flow, or one that was declared before.
  public let parent: String
  /// The flow's actions that pass only while the scope is open.
  public let actions: [String]
  private let place: SourcePlace

  /// Makes a declaration, for `HostScopes.declare(_:_:)`.
  public init(
    _ name: String, key: Key.Type, parent: String = "root", actions: [String] = [],
    file: String = #fileID, line: Int = #line
  ) {
    self.name = name
    self.parent = parent
    self.actions = actions
    place = SourcePlace(file: file, line: line)
  }

  package var declaration: HostScopeDeclaration {
    HostScopeDeclaration(name: name, parent: parent, actions: actions, place: place)
  }
}

/// The capabilities of a scope that the host declares.
///
/// A closure receives the key that the scope was opened with, then its arguments; otherwise it is as those of
/// `HostScope`.
public struct KeyedHostScope<Key: Sendable> {
  private var scope: HostScope
  package var capabilities: Capabilities { scope.capabilities }

  package init(name: String, capabilities: Capabilities) {
    scope = HostScope(name: name, capabilities: capabilities)
  }

  /// Lends a function to scripts.
  public mutating func provide<
    each Argument: Decodable & Sendable, Result: Encodable & Sendable
  >(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (Key, repeat each Argument) throws -> Result
  ) {
    let read: ArgumentReader<repeat each Argument> = scope.reader(name, parameters)
    scope.add(name) { key, values in
      try ValueEncoder.encode(body(hostKey(key), repeat each read(values)))
    }
  }

  /// Lends a function that returns nothing.
  public mutating func provide<each Argument: Decodable & Sendable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (Key, repeat each Argument) throws -> Void
  ) {
    let read: ArgumentReader<repeat each Argument> = scope.reader(name, parameters)
    scope.add(name) { key, values in
      try body(hostKey(key), repeat each read(values))
      return .nil
    }
  }

  /// Lends an asynchronous function: only the effect that calls it waits for the answer.
  public mutating func provide<
    each Argument: Decodable & Sendable, Result: Encodable & Sendable
  >(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (Key, repeat each Argument) async throws -> Result
  ) {
    let read: ArgumentReader<repeat each Argument> = scope.reader(name, parameters)
    scope.addLater(name) { key, values in
      try ValueEncoder.encode(await body(hostKey(key), repeat each read(values)))
    }
  }

  /// Lends an asynchronous function that returns nothing.
  public mutating func provide<each Argument: Decodable & Sendable>(
    _ name: String, parameters: [String] = [],
    _ body: @escaping @Sendable (Key, repeat each Argument) async throws -> Void
  ) {
    let read: ArgumentReader<repeat each Argument> = scope.reader(name, parameters)
    scope.addLater(name) { key, values in
      try await body(hostKey(key), repeat each read(values))
      return .nil
    }
  }
}

/// Returns the key that the host opened the scope with.
///
/// - Throws: `ScopeRefusal` if the host did not open the scope.
private func hostKey<Key>(_ key: any Sendable) throws(ScopeRefusal) -> Key {
  guard let key = key as? Key else { throw ScopeRefusal("this scope was not opened by the host") }
  return key
}
