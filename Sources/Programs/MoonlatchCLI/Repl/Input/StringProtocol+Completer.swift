import FlowLanguage
import LuaRuntime

extension StringProtocol {
  /// The end of the text that consists of such characters.
  func suffix(while fits: (Character) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, fits(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
