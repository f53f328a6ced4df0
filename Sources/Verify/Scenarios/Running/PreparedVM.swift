import FlowKernel
import FlowLanguage
import LuaRuntime

/// A VM in which a flow has run and the scenario language is loaded, so that a scenario can begin.
///
/// It looks the same each time. A VM that is used often therefore stores an image of its state before its first
/// scenario, and is restored to that: the next scenario finds no byte of the one before. While it plays the scenarios
/// of one file, it is restored to its state after the file had run.
final class PreparedVM {
  let vm: LuaVM
  let flow: LoadedFlow
  let key: FlowCache.Key
  /// The lines that the flow printed while it was loaded.
  let printed = PrintedLines()
  private let limits: Limits
  /// True if the VM can be restored to its fresh state.
  let keepsImage: Bool
  private var isPrepared = false
  /// The scenario file that has run in the VM, if the file need not run again.
  private(set) var declared: DeclaredFile?
  /// True if the flow has locals that its functions could change.
  private(set) var hasLocals = false

  /// Opens a VM and starts the flow in it.
  init(
    _ flow: LoadedFlow, from key: FlowCache.Key, settings: PlaySettings, keepsImage: Bool
  ) throws {
    self.flow = flow
    self.key = key
    limits = settings.limits
    self.keepsImage = keepsImage
    vm = try LuaVM(limits: settings.limits)
    if settings.notesCoverage { vm.coverLines() }
    let printed = printed
    try ScriptLog { printed.add($0) }.attach(to: vm)
    try flow.start(in: vm, limits: settings.limits)
  }

  /// Loads the scenario language, after the host's functions have been provided.
  func prepare() throws {
    guard !isPrepared else { return }
    isPrepared = true
    try ScenarioVM.install(in: vm, limits: limits)
    hasLocals = try flow.flow.watchLocals(in: vm, limits: limits)
    guard keepsImage else { return }
    let names = ScenarioRun.functions.map(\.name) + StubbedCalls.functions.map(\.name)
    for name in names {
      try vm.provide(name, readsByType: ScenarioRun.readByType.contains(name)) { _ in [] }
    }
    _ = vm.keepImage()
  }

  /// An error that says that a scenario file has to run again for each of its scenarios.
  struct NotDeclared: Error {}

  /// Runs a scenario file that is known already, so that it need not run again for its other scenarios.
  ///
  /// Its results must not depend on the host that plays the first of them.
  ///
  /// - Throws: `NotDeclared` if the file fails, if it calls the host other than to load modules, to check that a matcher
  ///   is plain data or to print, or if no image can be stored. The caller then has to restore the VM.
  func declare(_ text: String, _ modules: ScenarioModules) throws(NotDeclared) {
    guard declared == nil else { return }
    var file = DeclaredFile(text)
    let vm = vm
    let answers: [String: ([Value]) throws -> [Value]] = [
      "print": { arguments in
        file.printed.append(arguments.first?.stringValue ?? "")
        vm.spend((file.printed.last?.utf8.count ?? 0) / 4)
        return []
      },
      "declared_module": { arguments in
        let answer = modules.answer(arguments.first?.stringValue ?? "", in: vm)
        file.look(at: answer.first?.stringValue ?? "")
        return answer
      },
      // The call itself checks it.
      "scenario_plain": { _ in [] },
    ]
    let run = try? vm.answering(only: answers) { () throws(ScriptError) in
      try ScenarioVM.run(text, name: modules.name, isKnown: true, in: vm, limits: limits)
    }
    guard let run, !run.asksForMore else { throw NotDeclared() }
    file.cleanUps = run.result["clean_ups"]?.integerValue ?? 0
    // Garbage would be copied with everything else, for each scenario.
    vm.collectGarbage()
    guard vm.keepFurtherImage() else { throw NotDeclared() }
    declared = file
  }

  /// Restores the VM for another scenario, of the file that has run in it if one has; returns false if it cannot.
  func goBack() -> Bool { vm.goBack() }

  /// Drops the scenario file, so that the VM is restored to its state before the file ran.
  func forgetFile() {
    declared = nil
    vm.dropFurtherImage()
  }
}

/// The facts about a scenario file that has run in a VM.
struct DeclaredFile {
  /// The lines that the file printed, in order.
  var printed: [String] = []
  /// The number of functions that run after each scenario.
  var cleanUps = 0
  /// True if the file, or a module that it requires, contains the word `restart`.
  private(set) var namesRestart = false

  init(_ text: String) { look(at: text) }

  /// Looks for the word `restart` in the text of a script.
  ///
  /// The flow's changes are recorded, which takes time, only if a script has the word.
  mutating func look(at text: String) {
    if !namesRestart { namesRestart = text.contains("restart") }
  }
}
