import FlowLanguage
import LuaRuntime

extension StringProtocol {
  /// Returns the longest suffix whose characters all satisfy the condition.
  func suffix(while fits: (Character) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, fits(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
