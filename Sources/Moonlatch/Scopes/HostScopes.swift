/// Where a host says which of its functions the scopes of a flow lend to scripts.
///
/// ```swift
/// let host = try Host(flow: url) { scopes in
///   scopes.root.provide("greet") { (name: String) in "hello \(name)" }
///   scopes["user"].provide("fetch") { (url: String) async throws -> Value in ... }
/// }
/// ```
public struct HostScopes {
  var capabilities = Capabilities()

  /// The scope that is always open.
  public var root: HostScope {
    get { self[ScopeDeclaration.root] }
    set { self[ScopeDeclaration.root] = newValue }
  }

  /// A scope that the flow declares, by name.
  ///
  /// One that it does not declare is a fault when the flow is loaded.
  public subscript(name: String) -> HostScope {
    get { HostScope(name: name, capabilities: capabilities) }
    set { capabilities = newValue.capabilities }
  }
}

/// One scope's capabilities.
public struct HostScope {
  let name: String
  var capabilities: Capabilities

  /// Lends a function.
  ///
  /// Arguments are converted and checked: a wrong one is an error in the script that says which.
  /// What the closure throws is raised there, with the capability's name.
  public mutating func provide<each Argument: ValueConvertible, Result: ValueConvertible>(
    _ name: String, _ body: @escaping @Sendable (repeat each Argument) throws -> Result
  ) {
    add(name, .now { try body(repeat each read($0, as: repeat (each Argument).self)).value })
  }

  /// Lends a function that gives nothing back.
  public mutating func provide<each Argument: ValueConvertible>(
    _ name: String, _ body: @escaping @Sendable (repeat each Argument) throws -> Void
  ) {
    add(
      name,
      .now {
        try body(repeat each read($0, as: repeat (each Argument).self))
        return .nil
      })
  }

  /// Lends a function that answers later: the effect that calls it waits, and nothing else does.
  public mutating func provide<each Argument: ValueConvertible, Result: ValueConvertible>(
    _ name: String, _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
  ) {
    add(
      name,
      .later { try await body(repeat each read($0, as: repeat (each Argument).self)).value })
  }

  /// Lends a function that ends later and gives nothing back.
  public mutating func provide<each Argument: ValueConvertible>(
    _ name: String, _ body: @escaping @Sendable (repeat each Argument) async throws -> Void
  ) {
    add(
      name,
      .later {
        try await body(repeat each read($0, as: repeat (each Argument).self))
        return .nil
      })
  }

  private mutating func add(_ name: String, _ body: Capabilities.Body) {
    capabilities.add(name, to: self.name, body)
  }
}

/// Reads all of a capability's arguments.
private func read<each Argument: ValueConvertible>(
  _ values: [Value], as types: repeat (each Argument).Type
) throws -> (repeat each Argument) {
  var arguments = CapabilityArguments(values)
  let read = (repeat try arguments.next(each types))
  try arguments.finish()
  return read
}

/// Reads a capability's arguments one after the other.
struct CapabilityArguments {
  private let values: [Value]
  private var position = 0

  struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  init(_ values: [Value]) { self.values = values }

  mutating func next<Argument: ValueConvertible>(_ type: Argument.Type) throws(Mismatch) -> Argument
  {
    let value = position < values.count ? values[position] : .nil
    position += 1
    guard let argument = Argument(value) else {
      throw Mismatch(
        description: "argument \(position) must be \(Argument.valueKind), got "
          + value.text(limit: 60))
    }
    return argument
  }

  /// Throws when there are more arguments than were read; nil at the end counts as none.
  func finish() throws(Mismatch) {
    guard let surplus = values.indices.last(where: { !values[$0].isNil }), surplus >= position
    else { return }
    let taken =
      switch position {
      case 0: "no arguments"
      case 1: "one argument"
      default: "\(position) arguments"
      }
    throw Mismatch(
      description: "it takes \(taken), and argument \(position + 1) is "
        + values[position].text(limit: 60))
  }
}
