import FlowLanguage
import StateBlocks

extension GatekeeperPolicy {
  /// True if it declares its options.
  var hasKnownOptions: Bool { isYesNo || isClosed }
}
