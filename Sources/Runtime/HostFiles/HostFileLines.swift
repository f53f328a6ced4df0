import FlowLanguage
import LuaRuntime

/// The lines of a host file that Lua does not know.
///
/// While `hooks.NAME = { ... }` runs, Lua knows the line at which the table ends, and not the one at which it begins;
/// an assignment to a global word runs nothing at all. So both are looked for in the text.
struct HostFileLines {
  private let sources: [FlowSources.Source]

  init(_ sources: [FlowSources.Source]) { self.sources = sources }

  /// Returns the place at which the declaration of a webhook begins, given the one at which it ends.
  func place(ofHook name: String, endingAt place: SourcePlace) -> SourcePlace {
    let tokens = tokens(of: place.file)
    let begin = tokens.indices.dropLast(2).last { index in
      let word = tokens[index]
      let joint = tokens[index + 1]
      return word.kind == .name && word.text == "hooks" && word.line <= place.line
        && (joint.isSymbol(".") || joint.isSymbol("[")) && tokens[index + 2].text == name
    }
    return SourcePlace(file: place.file, line: begin.map { tokens[$0].line } ?? place.line)
  }

  /// Returns the place of the first assignment to a word, such as `provide = { ... }`; nil if none is found.
  func place(ofAssignmentTo word: String) -> SourcePlace? {
    for source in sources {
      let tokens = tokens(of: source.name)
      let found = tokens.indices.dropLast().first { index in
        guard tokens[index].kind == .name, tokens[index].text == word,
          tokens[index + 1].isSymbol("=")
        else { return false }
        guard let before = index > 0 ? tokens[index - 1] : nil else { return true }
        // A field of a table, and a local, may have that name.
        return ![".", "{", ","].contains { before.isSymbol($0) } && !before.isKeyword("local")
      }
      if let found { return SourcePlace(file: source.name, line: tokens[found].line) }
    }
    return nil
  }

  private func tokens(of file: String) -> [LuaToken] {
    sources.first { $0.name == file }.map { LuaLexer($0.text).tokens } ?? []
  }
}
