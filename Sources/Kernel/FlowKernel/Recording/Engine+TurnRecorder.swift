import FlowLanguage
import LuaRuntime

extension Engine {
  /// Returns the whole state of the case, encoded.
  ///
  /// - Parameter failures: the failures of effects that did not finish since the last entry.
  package func image(_ failures: [EffectFailure] = []) throws(ScriptError) -> [UInt8] {
    var image = CaseImage(caseState)
    image.failures = failures
    for number in image.caseState.chains {
      if let since = scopes.closedSince(number) { image.closed[number] = since }
    }
    image.tree = try vm.stateBytes(after: [])
    var writer = ValueWriter()
    image.write(to: &writer)
    return writer.bytes
  }
}
