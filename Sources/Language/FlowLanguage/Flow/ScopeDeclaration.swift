import LuaRuntime

/// A declared scope: its key, its parent, its factories, and the actions that it owns.
package struct ScopeDeclaration: Sendable {
  package let name: String
  package let place: SourcePlace
  package let parent: String?
  package let key: FlowFunction?
  package let actions: [String]
  package let factories: [String]
  package let privateNames: Set<String>
  /// True if the host declares the scope; then only the host can open it.
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

  /// Returns the root scope of a flow that does not declare it.
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

/// A declared effect, which runs after an action has passed or while a state is active.
package struct Effect: Sendable {
  package let function: FlowFunction
  /// The action that receives the effect's result, and the action that is dispatched if the effect does not finish.
  package let onDone, onError: String?
  /// True if `on_error` also receives faults of the script, and not only errors that were raised.
  package let handlesFaults: Bool
  /// True if the effect was declared for several actions, and therefore runs with root as `self`.
  package let isShared: Bool
  /// True if the effect continues after a restart.
  package let isDurable: Bool
  /// The state during which the effect runs, as `player.loading`; nil for an effect that follows actions.
  package let state: String?
  package let title: String
  /// The position of the effect among the effects of actions with the same title, counted from 0.
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

/// A scope that the host declares, without the type of its key.
package struct HostScopeDeclaration: Sendable {
  package let name: String
  package let parent: String
  package let actions: [String]
  package let place: SourcePlace

  package init(name: String, parent: String, actions: [String], place: SourcePlace) {
    (self.name, self.parent, self.actions, self.place) = (name, parent, actions, place)
  }
}
