import LuaRuntime
import StateCharts

/// The place of a declaration.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file, as it was named when it was loaded.
  public let file: String
  /// The first line, counted from 1.
  public let line: Int
  /// Creates a place.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// `file:line`.
  public var description: String { "\(file):\(line)" }
}

/// A function of the flow that the VM holds.
package final class FlowFunction: Sendable {
  package let name: String
  package let place: SourcePlace
  package let lastLine: Int
  /// The number of parameters that the function declares.
  package let parameters: Int
  package let reference: LuaReference

  package init(
    name: String, place: SourcePlace, lastLine: Int, parameters: Int = 0, reference: LuaReference
  ) {
    self.name = name
    self.place = place
    self.lastLine = lastLine
    self.parameters = parameters
    self.reference = reference
  }
}

/// A declared action: its payload, and the functions that run when it is dispatched.
package struct Action: Sendable {
  package let name: String
  package let place: SourcePlace
  package let payload: PayloadType
  /// True if only effects and timers may dispatch the action.
  package var isInternal = false
  /// True if the payload has no fields.
  package var takesNothing: Bool { payload.takesNothing }
  /// The name as a Lua string, for rules over several actions.
  package var nameReference: LuaReference?
  package var rules: [GateRule] = []
  package var reducer: FlowFunction?
  /// The machines that name the action, as indices, in the order of declaration.
  package var machines: [Int] = []
  /// The gatekeepers that name the action, as indices.
  package var gatekeepers: [Int] = []
  /// The scope that owns the action, as an index; nil for root, which is always open.
  package var scope: Int?
  /// The effects that run after the action, as indices, in the order of declaration.
  package var effects: [Int] = []

  package init(
    name: String, place: SourcePlace, payload: PayloadType, isInternal: Bool = false,
    machines: [Int] = []
  ) {
    (self.name, self.place, self.payload) = (name, place, payload)
    (self.isInternal, self.machines) = (isInternal, machines)
  }
}

/// A gate rule of one action.
package struct GateRule: Sendable {
  package let function: FlowFunction
  /// True if the rule was declared for several actions, and therefore receives the action's name.
  package let isShared: Bool
  /// The name of the rule in a refusal: `gate push`.
  package var title: String { "gate \(function.name)" }
}

/// A named reader of the state: a view or an invariant.
package struct FlowReader: Sendable {
  package let function: FlowFunction
  /// The number of the reader in the VM.
  package let number: Int32
}

/// The guard of eventless or completion transitions.
package struct EventlessCondition: Sendable {
  package let machine: Int
  /// The states that list a transition with this guard.
  package var sources: [Chart.StateNumber]
}

/// A migration of cases from the previous version of the flow.
package struct Migration: Sendable {
  /// The function that changes the state or returns a new one.
  package var function: FlowFunction?
  /// The new names of actions that are pending.
  package var actions: [String: String] = [:]
}

/// The declarations of a loaded flow.
package struct Flow: Sendable {
  package let file: String
  /// The file and the modules that it requires, as messages name them.
  package var files: [String] = []
  /// A hash of the names and texts of the files.
  package var hash = ""
  /// The name that `flow_name` declares.
  package var declaredName: String?
  /// The flow's identity: its declared name, or else the stem of its file.
  package var name: String { declaredName ?? FlowFile.stem(of: file) }
  /// The version of the flow, as `version(n)` declares it.
  package var version = 1
  /// The migration to each version from the previous one.
  package var migrations: [Int: Migration] = [:]
  /// The fields that `state { ... }` declares, sorted by name.
  package var fields: [StateField] = []
  /// The types of the state, as far as `state { ... }` declares them.
  package var types = StateTypes()
  /// The parts of the state and of payloads that are secret; nil if there are none.
  package var secrets: Secrets?
  package var actions: [Action]
  package var indexOfAction: [String: Int]
  package var views: [FlowReader]
  package var invariants: [FlowReader]
  /// The numbers of the invariants' readers, in the same order.
  package var invariantNumbers: Range<Int32> = 0..<0
  package var machines: [Machine] = []
  /// The guards of `always` and `on_done`; `conditionNumbers` are their readers, in the same order.
  package var conditions: [EventlessCondition] = []
  package var conditionNumbers: Range<Int32> = 0..<0
  package var gatekeepers: [GatekeeperPolicy] = []
  /// The scopes, parents before their children; root is the first.
  package var scopes: [ScopeDeclaration] = []
  /// The readers of the scopes' keys, in the order of `scopes`; nil for a scope without a key.
  package var keyReaders: [Int32?] = []
  /// The numbers of the keys' readers.
  package var keyNumbers: Range<Int32> = 0..<0
  /// The effects that follow actions.
  package var effects: [Effect] = []
  /// The documents of the flow; nil unless it is an SCXML document.
  package var document: FlowDocument?
  /// The names that every VM of the flow stores, and its readers, in this order (see `number(in:)`).
  var keptNames: [String] = []
  package var readers: [LuaReference] = []

  /// The effects that run while states are active.
  package var stateEffects: [Effect] {
    machines.flatMap { machine in
      machine.effects.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// True if any effect continues after a restart; set once the flow is loaded.
  package private(set) var hasDurableEffects = false

  /// The numbers of the views by name; set once the flow is loaded, as is `indexOfGatekeeper`.
  private(set) var indexOfView: [String: Int] = [:]
  private(set) var indexOfGatekeeper: [String: Int] = [:]

  /// Sets the properties that are derived from the declarations, once for all hosts.
  package mutating func finish() {
    hasDurableEffects =
      effects.contains(where: \.isDurable) || stateEffects.contains(where: \.isDurable)
    indexOfView = Dictionary(
      views.enumerated().map { ($1.function.name, $0) }, uniquingKeysWith: { first, _ in first })
    indexOfGatekeeper = Dictionary(
      gatekeepers.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the view of that name, or nil.
  package func view(named name: String) -> FlowReader? { indexOfView[name].map { views[$0] } }

  /// Returns the gatekeeper of that name, or nil.
  package func gatekeeper(named name: String) -> GatekeeperPolicy? {
    indexOfGatekeeper[name].map { gatekeepers[$0] }
  }

  /// Returns the action of that name, or nil.
  ///
  /// For an SCXML document, every event that some transition waits for is an action.
  package func action(named name: String) -> Action? {
    if let index = indexOfAction[name] { return actions[index] }
    guard let document, document.knows(name) else { return nil }
    return FlowDocument.action(name, at: machines[0].place)
  }

  /// The names of all fields at the root of the state, including those of machines' regions and of sessions'
  /// variables.
  package var rootNames: [String] {
    fields.map(\.name)
      + machines.filter { $0.records == nil }.flatMap { $0.regionFields.map(\.field) }
      + (document?.fields.compactMap { $0 } ?? [])
  }

  package var actionNames: [String] { indexOfAction.keys.sorted() }
}

extension SourcePlace {
  package init?(_ place: Chart.Place) {
    guard place.line > 0 else { return nil }
    self.init(file: place.file, line: place.line)
  }
}
