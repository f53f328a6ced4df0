import FlowKernel
import FlowLanguage

extension FlowSources {
  /// Makes sources of the texts that a journal has stored, the flow's own file first.
  package init(kept texts: [JournaledFlow.Text]) {
    self.init(texts: texts.map { ($0.name, $0.text) })
  }
}
