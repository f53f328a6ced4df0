import LuaRuntime
import Moonlatch

/// A VM in which a flow has run and the scenario language is there: where a scenario begins.
///
/// It looks the same each time. So one that is to serve often keeps an image of what it is before its
/// first scenario, and goes back to that: what comes next finds not a byte of what was before.
final class PreparedVM {
  let vm: LuaVM
  let flow: LoadedFlow
  let key: FlowCache.Key
  /// What the flow has printed while it was loaded.
  let printed = PrintedLines()
  private let limits: Limits
  private let keepsImage: Bool
  private var isPrepared = false
  /// Whether the flow has locals that its functions could change.
  private(set) var hasLocals = false

  /// Opens a VM and starts the flow in it.
  init(
    _ flow: LoadedFlow, from key: FlowCache.Key, settings: PlaySettings, keepsImage: Bool
  ) throws {
    self.flow = flow
    self.key = key
    limits = settings.limits
    self.keepsImage = keepsImage && !settings.notesCoverage
    vm = try LuaVM(limits: settings.limits)
    if settings.notesCoverage { vm.coverLines() }
    let printed = printed
    try ScriptLog { printed.add($0) }.attach(to: vm)
    try flow.start(in: vm, limits: settings.limits)
  }

  /// Loads the scenario language, once the host's functions have been provided.
  func prepare() throws {
    guard !isPrepared else { return }
    isPrepared = true
    try ScenarioVM.install(in: vm, limits: limits)
    hasLocals = try flow.flow.watchLocals(in: vm, limits: limits)
    guard keepsImage else { return }
    for (name, _) in ScenarioRun.functions { try vm.provide(name) { _ in [] } }
    _ = vm.keepImage()
  }

  /// Makes it fresh again; false where it cannot be.
  func goBack() -> Bool { vm.goBack() }
}
