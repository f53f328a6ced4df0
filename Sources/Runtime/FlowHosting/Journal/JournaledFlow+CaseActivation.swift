import FlowKernel
import FlowLanguage
import LuaRuntime

extension JournaledFlow {
  /// The name of the flow, which has the same texts as one that was loaded.
  func name(sameTextAs flow: LoadedFlow) -> String {
    flow.flow.declaredName ?? FlowFile.stem(of: name)
  }
}
