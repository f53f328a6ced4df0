import FlowKernel
import FlowLanguage

extension FlowSources {
  /// The texts of a flow as a journal has kept them, its own file's first.
  package init(kept texts: [JournaledFlow.Text]) {
    self.init(texts: texts.map { ($0.name, $0.text) })
  }
}
