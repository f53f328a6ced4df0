import FlowKernel
import LuaRuntime

extension ExplorationSetup {
  /// Applies the options of an exploration file.
  mutating func take(_ said: ExplorationSpec) {
    self.said = said
    if !said.units.isEmpty { units = said.units }
    for (title, answers) in said.answers {
      if case .list(let list) = answers { answersByEffect[title] = list }
    }
    if let most = said.mostEffects { mostEffects = most }
    clock = said.clock
  }
}
