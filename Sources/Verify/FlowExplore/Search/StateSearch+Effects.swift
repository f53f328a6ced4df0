import CExplore
import FlowKernel
import LuaRuntime

/// The running effects, and the limit of their number.
extension StateSearch {
  /// The functions of the effects after which nothing follows; scenarios stub them, so that their capabilities may be
  /// absent.
  var silentEffects: [String] {
    flow.flow.effects.filter { setup.silentEffects.contains($0.title) }.map(\.function.name)
  }

  /// Returns true if no more effects are running than the setup allows.
  func isWithinEffects(_ values: Values) -> Bool {
    canonical(values).effects.count <= setup.mostEffects
  }

  func learnEffects(_ trie: UInt32, _ values: Values) throws {
    var observedRun = ObservedRun(values, tables: [], slots)
    try observedRun.recordRead(of: .part(.effects))
    try learn(
      trie, values, observedRun.reads, isWithinEffects(values) ? EXPLORE_PASSES : EXPLORE_REFUSED,
      number(of: Reason(text: "", place: nil, isIdle: false)), [])
  }

  /// Returns the error that more effects run than the default limit, and the exploration file sets none.
  func tooManyEffects(_ effects: [ExploredEffect]) -> ExplorationError {
    let names = effects.map(\.name)
    let counted = Set(names).sorted().map { name in
      let count = names.count { $0 == name }
      return count == 1 ? name : "\(name) \(count) times"
    }
    return ExplorationError(
      .setup,
      "more than \(setup.mostEffects) effects run at once (\(counted.joined(separator: ", "))): "
        + "set a limit in NAME.explore.lua, and states with more are not explored further: "
        + "effects = { at_most = 2 }")
  }

  /// The transitions to states that are not expanded: how many there are, and why.
  var outsides: [String] {
    asked.enumerated().compactMap { trie, what -> String? in
      let why: String
      switch what {
      case .effects: why = "more than \(setup.mostEffects) effects would run"
      case .said(let function) where function.title == "within": why = "within returns false"
      default: return nil
      }
      let count = Int(explore_trie_count(search, UInt32(trie)).refused)
      if count == 0 { return nil }
      return
        "\(Value.grouped(count)) transition\(count == 1 ? "" : "s") to where \(why): not explored further"
    }
  }
}
