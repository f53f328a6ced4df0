import FlowLanguage

/// A check for functions and globals of the flow whose names have become words of the language: the flow's win.
struct OwnWords {
  let text: FlowText

  /// The words that were added after flows had been written, which may use these names.
  private static let words: Set<String> = [
    "all", "all_in", "born", "by", "count_in", "date", "in_state", "internal", "race", "retry",
    "revised",
  ]

  /// The findings; a local that is not a function is not confused with the word.
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
          "\(access.root) hides the word of the flow language here: "
            + "rename it to use both")
      }
    }
  }
}

extension LuaSource {
  /// Returns true if the assigned value is a function.
  fileprivate func putsFunction(at access: LuaAccess) -> Bool {
    let equals = access.tokens.upperBound
    return equals + 1 < tokens.count && tokens[equals].isSymbol("=")
      && tokens[equals + 1].isKeyword("function")
  }
}
