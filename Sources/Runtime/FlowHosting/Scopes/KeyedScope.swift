import FlowKernel
import FlowLanguage

/// A scope that a host declares, opens and closes itself, with keys that no script can come by.
///
/// ```swift
/// let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])
/// let host = try FlowHost(flow: url) { scopes in scopes.declare(staff) }
/// let opening = try host.open(staff, with: badge)
/// try host.dispatch("refund", ["cents": 250])
/// try opening.close()
/// ```
///
/// To the flow it is a scope like any other: its actions pass only while it is open, their effects are
/// given its instance as `self`, others reach it by `self:unlock("staff")` on its parent's, and while
/// it is locked the same refusals say so. But what is open does not follow from the state: no reducer
/// opens it, `unlock` with a key of one's own is refused, and the key cannot be read.
///
/// The host may hold it open with several keys at a time, each an opening of its own: its actions pass as
/// long as there is one. What is dispatched through an opening (`HostScopeInstance.dispatch(_:_:)`) runs its
/// effects in that one, and so does all that follows from them; what is not is given the newest.
public struct KeyedScope<Key: Sendable>: Sendable {
  /// The name, under which scripts know it.
  public let name: String
  /// The scope inside which it opens: root, one of the flow's, or one that was declared before.
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

/// The capabilities of a scope of the host's own.
///
/// A closure is given the key that the scope was opened with, then its arguments; otherwise it is as
/// those of `HostScope`.
public struct KeyedHostScope<Key: Sendable> {
  private var scope: HostScope
  package var capabilities: Capabilities { scope.capabilities }

  package init(name: String, capabilities: Capabilities) {
    scope = HostScope(name: name, capabilities: capabilities)
  }

  /// Lends a function.
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

  /// Lends a function that gives nothing back.
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

  /// Lends a function that answers later: the effect that calls it waits, and nothing else does.
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

  /// Lends a function that ends later and gives nothing back.
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

/// The key that the host opened the scope with.
private func hostKey<Key>(_ key: any Sendable) throws(ScopeRefusal) -> Key {
  guard let key = key as? Key else { throw ScopeRefusal("this scope was not opened by the host") }
  return key
}
