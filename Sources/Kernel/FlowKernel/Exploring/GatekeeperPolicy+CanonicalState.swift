import FlowLanguage
import StateBlocks

extension GatekeeperPolicy {
  /// True if it says which options there are.
  var hasKnownOptions: Bool { isYesNo || isClosed }
}
