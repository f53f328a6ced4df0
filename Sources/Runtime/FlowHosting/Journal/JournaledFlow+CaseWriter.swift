import FlowKernel
import StateBlocks

extension JournaledFlow {
  /// Creates the stored form of a loaded flow: its name, version and source files.
  package init(_ flow: LoadedFlow) {
    self.init(
      name: flow.name, hash: flow.flow.hash, version: flow.flow.version,
      texts: flow.texts.map { Text(name: $0.name, text: $0.text) })
  }
}
