/// Reading what Lua says about places: its own traceback text, and positions in messages.
enum Traceback {
  /// The frames of Lua's traceback that belong to scripts, innermost first.
  static func frames(of text: String) -> [String] {
    text.split(separator: "\n").dropFirst().compactMap { line in
      let frame = line.trimmingPrefix(while: { $0 == "\t" || $0 == " " })
      // The prelude has no lines once it is compiled: its frames say "?".
      if ["[moonlatch]", "?:", "[C]", "(..."].contains(where: frame.hasPrefix) {
        return nil
      }
      // How many calls are left out depends on how large the stack could grow: no two runs agree.
      if frame.hasPrefix("...\t(skipping") { return "..." }
      return frame.hasSuffix("in main chunk")
        ? frame.dropLast("main chunk".count) + "the main chunk" : String(frame)
    }
  }
}
