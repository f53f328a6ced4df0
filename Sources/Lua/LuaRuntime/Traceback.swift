/// A parser of Lua's traceback text.
enum Traceback {
  /// Returns the frames of scripts in Lua's traceback, innermost first.
  static func frames(of text: String) -> [String] {
    text.split(separator: "\n").dropFirst().compactMap { line in
      let frame = line.trimmingPrefix(while: { $0 == "\t" || $0 == " " })
      // Compiled code of the prelude has no lines: its frames say "?".
      if ["[moonlatch]", "?:", "[C]", "(..."].contains(where: frame.hasPrefix) {
        return nil
      }
      // The number of skipped calls depends on how far the stack could grow, and differs between runs.
      if frame.hasPrefix("...\t(skipping") { return "..." }
      return frame.hasSuffix("in main chunk")
        ? frame.dropLast("main chunk".count) + "the main chunk" : String(frame)
    }
  }
}
