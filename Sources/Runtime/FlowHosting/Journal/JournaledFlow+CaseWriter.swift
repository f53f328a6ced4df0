import FlowKernel
import StateBlocks

extension JournaledFlow {
  /// The texts of a flow that was loaded.
  package init(_ flow: LoadedFlow) {
    self.init(
      name: flow.name, hash: flow.flow.hash, version: flow.flow.version,
      texts: flow.texts.map { Text(name: $0.name, text: $0.text) })
  }
}
