import FlowKernel
import FlowLanguage
import LuaRuntime

extension JournaledFlow {
  /// Returns the name of the flow, given a loaded flow with the same texts.
  func name(sameTextAs flow: LoadedFlow) -> String {
    flow.flow.declaredName ?? FlowFile.stem(of: name)
  }
}
