import FlowLanguage
import LuaRuntime
import Platform

/// A check for a word that stands alone in its line, without a call: Lua reports it where the next line begins.
enum UncalledWords {
  /// Returns the finding about such a word before a syntax error, if there is one.
  static func before(_ fault: Finding) -> Finding? {
    let (file, line) = (fault.fault.file, fault.fault.line)
    guard fault.fault.message.contains("syntax error near"),
      let text = try? TextFile.read(URL(filePath: file), name: file)
    else { return nil }
    let tokens = LuaLexer(text).tokens
    guard let next = tokens.firstIndex(where: { $0.line == line }), next > 0 else { return nil }
    let word = tokens[next - 1]
    guard word.kind == .name, LibraryWords.scenario.contains(word.text),
      next < 2 || tokens[next - 2].line < word.line
    else { return nil }
    return Finding(
      .wrongKind, at: SourcePlace(file: file, line: word.line),
      "\(word.text) is a function: call it, \(word.text)(...)")
  }
}
