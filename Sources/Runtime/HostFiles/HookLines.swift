import FlowLanguage
import LuaRuntime

/// The lines at which a host file declares its webhooks.
///
/// While `hooks.NAME = { ... }` runs, Lua knows the line at which the table ends, and not the one at which it begins. So
/// the beginning is looked for in the text.
struct HookLines {
  private let texts: [String: String]

  init(_ sources: [FlowSources.Source]) {
    texts = Dictionary(sources.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the place at which the declaration of a webhook begins, given the one at which it ends.
  func place(of name: String, endingAt place: SourcePlace) -> SourcePlace {
    let tokens = texts[place.file].map { LuaLexer($0).tokens } ?? []
    let begin = tokens.indices.dropLast(2).last { index in
      let word = tokens[index]
      let joint = tokens[index + 1]
      return word.kind == .name && word.text == "hooks" && word.line <= place.line
        && (joint.isSymbol(".") || joint.isSymbol("[")) && tokens[index + 2].text == name
    }
    return SourcePlace(file: place.file, line: begin.map { tokens[$0].line } ?? place.line)
  }
}
