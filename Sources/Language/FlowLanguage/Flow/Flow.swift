import LuaRuntime
import StateCharts

/// Where a declaration stands.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file, as it was named when it was loaded.
  public let file: String
  /// The first line, counted from 1.
  public let line: Int
  /// Makes a place.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// `file:line`.
  public var description: String { "\(file):\(line)" }
}

/// A function of the flow that the VM keeps.
package final class FlowFunction: Sendable {
  package let name: String
  package let place: SourcePlace
  package let lastLine: Int
  /// How many parameters it declares.
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

/// A declared action: its payload, and what runs when it is dispatched.
package struct Action: Sendable {
  package let name: String
  package let place: SourcePlace
  package let payload: PayloadType
  /// True if effects and timers alone dispatch it.
  package var isInternal = false
  /// True if the payload has no fields at all.
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
  /// The effects that run after it, in the order of declaration, as indices.
  package var effects: [Int] = []

  package init(
    name: String, place: SourcePlace, payload: PayloadType, isInternal: Bool = false,
    machines: [Int] = []
  ) {
    (self.name, self.place, self.payload) = (name, place, payload)
    (self.isInternal, self.machines) = (isInternal, machines)
  }
}

/// A gate rule as one action meets it.
package struct GateRule: Sendable {
  package let function: FlowFunction
  /// True if it was declared for several actions, and so is told the action's name.
  package let isShared: Bool
  /// How a refusal names it: `gate push`.
  package var title: String { "gate \(function.name)" }
}

/// A named reader of the state: a view or an invariant.
package struct FlowReader: Sendable {
  package let function: FlowFunction
  /// Its number in the VM.
  package let number: Int32
}

/// The condition of ways that no action asks for.
package struct EventlessCondition: Sendable {
  package let machine: Int
  /// The states that list such a way.
  package var sources: [Chart.StateNumber]
}

/// What brings a case up to a version of its flow from the one before.
package struct Migration: Sendable {
  /// Changes the state, or gives another.
  package var function: FlowFunction?
  /// The new names of actions that are pending.
  package var actions: [String: String] = [:]
}

/// What a loaded flow declares.
package struct Flow: Sendable {
  package let file: String
  /// The file and the modules that it requires, as messages name them.
  package var files: [String] = []
  /// A hash of their texts.
  package var hash = ""
  /// The name that `flow_name` declares.
  package var declaredName: String?
  /// The flow's identity: the name that it declares, or else the stem of its file.
  package var name: String { declaredName ?? FlowFile.stem(of: file) }
  /// Which version of itself the flow is, as `version(n)` says.
  package var version = 1
  /// What brings a case up to each version from the one before.
  package var migrations: [Int: Migration] = [:]
  /// The fields that `state { ... }` declares, sorted by name.
  package var fields: [StateField] = []
  /// What may stand there, where `state { ... }` says so with types.
  package var types = StateTypes()
  /// What is not shown of the state and of payloads, where there is anything.
  package var secrets: Secrets?
  package var actions: [Action]
  package var indexOfAction: [String: Int]
  package var views: [FlowReader]
  package var invariants: [FlowReader]
  /// The numbers of their readers, in the same order.
  package var invariantNumbers: Range<Int32> = 0..<0
  package var machines: [Machine] = []
  /// The conditions of `always` and `on_done`, and the numbers of their readers, in the same order.
  package var conditions: [EventlessCondition] = []
  package var conditionNumbers: Range<Int32> = 0..<0
  package var gatekeepers: [GatekeeperPolicy] = []
  /// Parents stand before their children; root is the first.
  package var scopes: [ScopeDeclaration] = []
  /// For each scope the reader that works its key out, nil where it has none.
  package var keyReaders: [Int32?] = []
  /// The numbers of those readers.
  package var keyNumbers: Range<Int32> = 0..<0
  /// Those that follow on actions.
  package var effects: [Effect] = []
  /// What it has besides its machines where it is an SCXML document.
  package var document: FlowDocument?
  /// What every VM of the flow is to keep and to read, in this order (see `number(in:)`).
  var keptNames: [String] = []
  package var readers: [LuaReference] = []

  /// The effects that last while states do.
  package var stateEffects: [Effect] {
    machines.flatMap { machine in
      machine.effects.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// True if any effect goes on after a restart: known once the flow is loaded.
  package private(set) var hasDurableEffects = false

  /// The numbers of views and gatekeepers by their names: known once the flow is loaded.
  private(set) var indexOfView: [String: Int] = [:]
  private(set) var indexOfGatekeeper: [String: Int] = [:]

  /// Looks for effects that go on after a restart, and notes names, once for all hosts.
  package mutating func finish() {
    hasDurableEffects =
      effects.contains(where: \.isDurable) || stateEffects.contains(where: \.isDurable)
    indexOfView = Dictionary(
      views.enumerated().map { ($1.function.name, $0) }, uniquingKeysWith: { first, _ in first })
    indexOfGatekeeper = Dictionary(
      gatekeepers.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The view of that name.
  package func view(named name: String) -> FlowReader? { indexOfView[name].map { views[$0] } }

  /// The gatekeeper of that name.
  package func gatekeeper(named name: String) -> GatekeeperPolicy? {
    indexOfGatekeeper[name].map { gatekeepers[$0] }
  }

  /// The action of that name; of a document each event that some transition takes is one.
  package func action(named name: String) -> Action? {
    if let index = indexOfAction[name] { return actions[index] }
    guard let document, document.knows(name) else { return nil }
    return FlowDocument.action(name, at: machines[0].place)
  }

  /// The names of all that may stand at the state's root, those of machines' regions and of sessions' variables too.
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
