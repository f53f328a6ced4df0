import FlowKernel
import FlowLanguage

extension Property {
  /// True if a state in which the function returns true decides the property.
  var isFoundByYes: Bool { kind == .never || kind == .sometimes }
}
