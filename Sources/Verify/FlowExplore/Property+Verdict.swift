import FlowKernel
import FlowLanguage

extension Property {
  /// Whether it is a state of which its function says yes that decides it.
  var isFoundByYes: Bool { kind == .never || kind == .sometimes }
}
