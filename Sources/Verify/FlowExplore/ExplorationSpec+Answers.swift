import FlowKernel
import LuaRuntime

extension ExplorationSpec {
  /// So many answers a function may say that an effect ends with.
  static let mostAnswersOfFunctions = 8

  /// The same, where there is such a function.
  var mostAskedAnswers: Int {
    let isAsked = answers.values.contains { if case .asked = $0 { true } else { false } }
    return isAsked ? ExplorationSpec.mostAnswersOfFunctions : 0
  }

  /// Runs the file in a VM that is to be asked.
  func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    guard let source else { return }
    try ExplorationVM.install(in: vm, source.modules, limits: limits)
    try ExplorationVM.run(source.text, name: source.name, in: vm, limits: limits)
  }
}
