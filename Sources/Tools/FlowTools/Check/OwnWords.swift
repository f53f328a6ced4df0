import FlowLanguage

/// A flow's own functions and globals whose names have become words of the language: they win.
struct OwnWords {
  let text: FlowText

  /// The words that came after flows had been written which may have used their names.
  private static let words: Set<String> = [
    "all", "all_in", "born", "by", "count_in", "date", "in_state", "internal", "race", "retry",
    "revised",
  ]

  /// A local that is no function is not taken for the word.
  var findings: [Finding] {
    text.sources.flatMap { source in
      source.accesses.filter { access in
        guard OwnWords.words.contains(access.root), access.steps.isEmpty else { return false }
        return switch access.use {
        case .defined: true
        case .written: !source.localNames.contains(access.root) || source.putsFunction(at: access)
        case .read, .cleared: false
        }
      }.map { access in
        Finding(
          .ownWord, at: SourcePlace(file: source.name, line: access.line),
          "\(access.root) is the flow's own here, not the word of the flow language: give it another "
            + "name to have both")
      }
    }
  }
}

extension LuaSource {
  /// Whether a function is what is put there.
  fileprivate func putsFunction(at access: LuaAccess) -> Bool {
    let equals = access.tokens.upperBound
    return equals + 1 < tokens.count && tokens[equals].isSymbol("=")
      && tokens[equals + 1].isKeyword("function")
  }
}
