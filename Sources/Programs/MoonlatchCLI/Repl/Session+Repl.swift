import CLineEdit
import FlowKernel
import SharedCommands

extension Session {
  /// A line that says what to type next.
  var greeting: String {
    if text.isTyped {
      return
        "an empty flow: type state { coins = 0 }, then action.coin {}, then coin(); :help says "
        + "more, :save NAME.lua keeps it, Ctrl-D leaves"
    }
    let names = actionNames
    let actions = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", ..." : "")
    let what = names.isEmpty ? "s" : "\(exampleCall), s"
    return "\(name)\(names.isEmpty ? "" : " (\(actions))"): type \(what) or :help; Ctrl-D leaves"
  }
}
