import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform
import Scenarios

/// A file that describes explorations of a flow: their inputs, and the properties that must hold.
///
/// ```lua
/// flow "turnstile.lua"
///
/// explore("two coins", { actions = { coin = { amount = { 1, 2 } } } }, function()
///   never("in debt", function(s) return s.coins < 0 end)
/// end)
/// ```
public struct ExplorationFile: Sendable {
  /// The suffix of the names of exploration files.
  public static let suffix = FlowFile.explorationSuffix

  /// The name of the file in messages.
  public let name: String
  /// The name of the flow in messages.
  public let flowName: String
  /// The path of the flow's file.
  package let flow: String
  package let path: String
  let text: String
  private let modules: ScenarioModules
  private let described: [Value]
  private let limits: Limits

  /// Reads the file and runs it once, to collect its declarations.
  ///
  /// No flow is loaded.
  ///
  /// - Throws: `FlowError` with every fault; `ScriptError` if the file raises an error or reaches a limit.
  public init(_ url: URL, name: String? = nil, limits: Limits = Limits()) throws {
    try self.init(path: url.path, name: name ?? url.lastPathComponent, limits: limits)
  }

  package init(
    path: String, name: String, reach: PathSandbox? = nil, limits: Limits = Limits()
  ) throws {
    (self.path, self.name, self.limits) = (path, name, limits)
    text = try ExplorationFile.read(path, name: name)
    let reach = reach ?? PathSandbox(ofFile: path, named: name)
    let modules = ScenarioModules(path: path, name: name, reach: reach)
    let described = try ExplorationVM.list(text, name: name, modules: modules, limits: limits)
    let (written, line, found) = try ExplorationFile.flow(of: described, in: name)
    (flow, flowName) = ScenarioFile.flow(written, beside: path, named: name)
    if let problem = ScenarioFile.problem(with: flow, named: flowName, within: reach) {
      throw FlowError([Diagnostic(file: name, line: line, message: problem)])
    }
    self.described = found
    self.modules = modules
  }

  private static func flow(
    of described: Value, in name: String
  ) throws(FlowError) -> (flow: String, line: Int, explorations: [Value]) {
    var faults = (described["faults"]?.listValue ?? []).map { Diagnostic($0, in: name) }
    let written = described["flow"]?.stringValue
    let explorations = described["explorations"]?.listValue ?? []
    func say(_ message: String) { faults.append(Diagnostic(file: name, line: 1, message: message)) }
    if faults.isEmpty {
      if written == nil { say("say which flow is explored: flow \"name.lua\"") }
      if explorations.isEmpty {
        say("the file has no exploration: explore(\"NAME\", function() ... end)")
      }
    }
    guard faults.isEmpty, let written else { throw FlowError(faults) }
    return (written, described["flow_line"]?.integerValue ?? 0, explorations)
  }

  private static func read(_ path: String, name: String) throws(FlowError) -> String {
    do {
      return try TextFile.read(path, name: name)
    } catch {
      throw FlowError([Diagnostic(file: name, line: 0, message: error.reason)])
    }
  }

  /// The names of the explorations, in the order of the file.
  public var names: [String] { described.map { $0["name"]?.stringValue ?? "" } }

  /// Returns the explorations, in the order of the file.
  ///
  /// - Parameters:
  ///   - host: the host whose rules and reducers take part, and whose limits apply.
  ///   - drawing: true to draw payloads at random if there are neither finite types nor samples. Only `walk` supports
  ///     this.
  /// - Throws: `FlowError` with every fault of the explorations, and if the flow cannot be loaded; `ExplorationError`
  ///   if the payloads of an action are unknown.
  public func explorations(
    for host: HostOptions? = nil, drawing: Bool = false
  ) throws -> [Exploration] {
    try explorations(
      of: FlowSources(file: URL(filePath: flow), displayName: flowName), for: host, drawing: drawing
    )
  }

  /// Returns the explorations of another flow, such as an earlier version of the one that the file names.
  package func explorations(
    of sources: FlowSources, for host: HostOptions? = nil, drawing: Bool = false
  ) throws -> [Exploration] {
    let limits = host?.limits ?? limits
    let flow = try LoadedFlow(sources, limits: limits, log: ScriptLog { _ in })
    let probe = try ExplorationProbe(flow, limits: limits, for: host)
    let tokens = LuaLexer(text).tokens
    var faults: [Diagnostic] = []
    var said: [(name: String, setup: ExplorationSpec)] = []
    for entry in described {
      let line = entry["line"]?.integerValue ?? 0
      var reader = OptionReader(
        flow.flow, file: name, name: entry["name"]?.stringValue ?? "",
        lines: OptionLines(tokens, from: line), probe: probe)
      reader.said.source = ExplorationSpec.Source(text: text, name: name, modules: modules)
      reader.read(entry["options"] ?? [:])
      for property in entry["properties"]?.listValue ?? [] { reader.readProperty(property) }
      faults += reader.faults
      said.append((reader.name, reader.said))
    }
    guard faults.isEmpty else { throw FlowError(Array(Set(faults))) }
    return try said.map { title, said in
      var setup = try ExplorationSetup(flow, said, draws: drawing)
      setup.host = host
      return Exploration(flow, setup, name: title, in: name)
    }
  }
}
