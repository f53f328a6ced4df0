import LuaRuntime

/// A declared scope: its lock, its parent, what it makes, and the actions that live in it.
package struct ScopeDeclaration: Sendable {
  package let name: String
  package let place: SourcePlace
  package let parent: String?
  package let key: FlowFunction?
  package let actions: [String]
  package let factories: [String]
  package let privateNames: Set<String>
  /// True if the host declares it, and alone can open it.
  package let isHosts: Bool

  package static let root = "root"

  package init?(_ entry: Value, place: SourcePlace) {
    guard let name = entry["name"]?.stringValue else { return nil }
    self.name = name
    self.place = place
    parent =
      name == ScopeDeclaration.root ? nil : entry["parent"]?.stringValue ?? ScopeDeclaration.root
    key = FlowFunction(entry["key"], name: "key")
    actions = (entry["actions"]?.listValue ?? []).compactMap(\.stringValue)
    factories = (entry["factories"]?.listValue ?? []).compactMap(\.stringValue).sorted()
    privateNames = Set((entry["private"]?.listValue ?? []).compactMap(\.stringValue))
    isHosts = false
  }

  package init(_ declaration: HostScopeDeclaration) {
    name = declaration.name
    place = declaration.place
    parent = declaration.parent
    key = nil
    actions = declaration.actions
    factories = []
    privateNames = []
    isHosts = true
  }

  /// The root, where a flow does not declare it.
  static func undeclaredRoot(in file: String) -> ScopeDeclaration {
    ScopeDeclaration(file: file)
  }

  private init(file: String) {
    name = ScopeDeclaration.root
    place = SourcePlace(file: file, line: 0)
    parent = nil
    key = nil
    actions = []
    factories = []
    privateNames = []
    isHosts = false
  }
}

/// A declared effect: what runs after an action has passed.
package struct Effect: Sendable {
  package let function: FlowFunction
  /// The action that is given what it returned, and the one that is told that it did not finish.
  package let onDone, onError: String?
  /// True if `on_error` gets faults of the script too, and not only errors that were raised.
  package let handlesFaults: Bool
  /// True if it was declared for several actions, and so runs with root as `self`.
  package let isShared: Bool
  /// True if it goes on after a restart.
  package let isDurable: Bool
  /// The state while which it lasts, as `player.loading`; nil for one that follows on actions.
  package let state: String?
  package let title: String
  /// Its number among the effects of actions that have its title, from 0 on.
  package var ordinal = 0

  package init(
    function: FlowFunction, onDone: String?, onError: String?, handlesFaults: Bool = false,
    isShared: Bool, isDurable: Bool = false, state: String? = nil
  ) {
    (self.function, self.onDone, self.onError) = (function, onDone, onError)
    (self.handlesFaults, self.isShared, self.isDurable) = (handlesFaults, isShared, isDurable)
    self.state = state
    title =
      state.map { "effect of \($0)" }
      ?? (isShared ? "effect \(function.name)" : Names.dotted("effect", function.name))
  }
}

/// A scope of the host's own, without the type of its key.
package struct HostScopeDeclaration: Sendable {
  package let name: String
  package let parent: String
  package let actions: [String]
  package let place: SourcePlace

  package init(name: String, parent: String, actions: [String], place: SourcePlace) {
    (self.name, self.parent, self.actions, self.place) = (name, parent, actions, place)
  }
}
