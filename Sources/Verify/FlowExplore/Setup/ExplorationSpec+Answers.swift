import FlowKernel
import LuaRuntime

extension ExplorationSpec {
  /// The maximum number of answers that a function may return for an effect.
  static let mostAnswersOfFunctions = 8

  /// The number of answers to reserve for functions: the maximum, or 0 if no effect has a function.
  var mostAskedAnswers: Int {
    let isAsked = answers.values.contains { if case .asked = $0 { true } else { false } }
    return isAsked ? ExplorationSpec.mostAnswersOfFunctions : 0
  }

  /// Runs the exploration file in a VM, so that its functions can be called there.
  func install(in vm: LuaVM, limits: Limits) throws(ScriptError) {
    guard let source else { return }
    try ExplorationVM.install(in: vm, source.modules, limits: limits)
    try ExplorationVM.run(source.text, name: source.name, in: vm, limits: limits)
  }
}
