import Moonlatch

/// The Lua of our own that playing a scenario takes.
package enum Preludes {
  /// Compiles what is not compiled yet, the last that is needed first: whoever plays a scenario
  /// meanwhile begins at the other end.
  package static func compile() {
    ScenarioVM.compile()
    FlowLanguage.compile()
  }
}
