import LuaRuntime

/// The lines of the parts of declarations.
///
/// A declaration is a call with a table. While it runs, only the line of the call is known, and not the lines
/// inside the table. So the text is parsed, which costs time only if there is a fault to report or a transition
/// with a `refuse`.
package final class DeclarationLines {
  /// The keys from a declaration's table to one of its parts.
  package typealias Path = [StatePath.Key]

  private let texts: [String: String]
  private var readers: [String: TableReader] = [:]

  /// Creates the lines of declarations in these files.
  package init(_ sources: [FlowSources.Source]) {
    texts = Dictionary(sources.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the place of a part of a declaration, or of the innermost part around it that the text shows.
  ///
  /// - Parameters:
  ///   - word: the word that declares it, such as `machine`.
  ///   - name: the name after the word, if there is one.
  ///   - place: the beginning of the declaration, which is returned if no part is found.
  package func place(
    of path: Path, in word: String, named name: String? = nil, at place: SourcePlace
  ) -> SourcePlace {
    let found = lines(of: path, in: word, named: name, at: place)
    return SourcePlace(file: place.file, line: found.last ?? place.line)
  }

  /// Returns the place of the first of several parts, of those that the text shows completely.
  package func place(
    ofFirst paths: [Path], in word: String, named name: String, at place: SourcePlace
  ) -> SourcePlace {
    let whole = paths.map { lines(of: $0, in: word, named: name, at: place) }
      .enumerated().filter { $1.count == paths[$0].count }
    return SourcePlace(file: place.file, line: whole.compactMap(\.element.last).min() ?? place.line)
  }

  /// Returns the place of a key in the table of an effect; the place of the function if the text shows no such table.
  package func place(
    of key: String, inEffect name: String, function place: SourcePlace
  ) -> SourcePlace {
    let reader = reader(of: place.file)
    guard let table = reader.effect(named: name, around: place.line),
      let entry = reader.entry(.field(key), of: table)
    else { return place }
    return SourcePlace(file: place.file, line: entry.line)
  }

  /// Returns the lines of the keys of a path, as many of them as the text shows.
  ///
  /// A transition that is not in a list is its only element.
  private func lines(
    of path: Path, in word: String, named name: String?, at place: SourcePlace
  ) -> [Int] {
    let reader = reader(of: place.file)
    var found: [Int] = []
    var table = reader.table(of: word, named: name, around: place.line)
    for key in path {
      guard let open = table else { break }
      guard let entry = reader.entry(key, of: open) else {
        if key == .index(1) { continue }
        break
      }
      found.append(entry.line)
      table = entry.table
    }
    return found
  }

  private func reader(of file: String) -> TableReader {
    if let known = readers[file] { return known }
    let reader = TableReader(texts[file].map { LuaLexer($0).tokens } ?? [])
    readers[file] = reader
    return reader
  }
}

/// A reader of table constructors in the tokens of a file, which caches each table that it reads.
private final class TableReader {
  struct Entry {
    package let line: Int
    /// The token at which the value's table opens; nil if the value is not written as a table.
    package let table: Int?
  }

  private struct Declaration: Hashable {
    let word: String
    let name: String?
    let line: Int
  }

  private struct Words: Hashable {
    let word: String
    let name: String?
  }

  private let tokens: [LuaToken]
  private var found: [Declaration: Int?] = [:]
  /// The positions of words, read once.
  private var words: [Words: [Int]]?
  private var read: [Int: [StatePath.Key: Entry]] = [:]

  init(_ tokens: [LuaToken]) { self.tokens = tokens }

  /// Returns the token at which the table of a declaration opens, in a call whose line is known.
  func table(of word: String, named name: String?, around line: Int) -> Int? {
    let declaration = Declaration(word: word, name: name, line: line)
    if let known = found[declaration] { return known }
    let table = findTable(of: word, named: name, around: line)
    found[declaration] = .some(table)
    return table
  }

  private func findTable(of word: String, named name: String?, around line: Int) -> Int? {
    for index in positions(of: word, named: name) {
      if tokens[index].line > line { break }
      guard var next = end(ofName: name, at: index + 1) else { continue }
      if isSymbol("(", next) { next += 1 }
      if isSymbol("{", next), tokens[next].line >= line { return next }
    }
    return nil
  }

  /// Returns the position of the token that opens the table of an effect; of several, the last one up to a line.
  ///
  /// The table is that of `effect.NAME = { ... }`, `effect.NAME { ... }` or `effect("NAME", actions, { ... })`.
  func effect(named name: String, around line: Int) -> Int? {
    let own = positions(of: "effect", named: name).compactMap { index -> Int? in
      guard var next = end(ofName: name, at: index + 1) else { return nil }
      if isSymbol("=", next) || isSymbol("(", next) { next += 1 }
      return next
    }
    let shared = positions(of: "effect", named: nil).compactMap { index -> Int? in
      guard isSymbol("(", index + 1), index + 2 < tokens.count,
        tokens[index + 2].kind == .string, tokens[index + 2].text == name
      else { return nil }
      let actions = end(ofValue: index + 2)
      return isSymbol(",", actions) ? end(ofValue: actions + 1) + 1 : nil
    }
    return (own + shared).filter { isSymbol("{", $0) && tokens[$0].line <= line }.max()
  }

  /// Returns the positions of a word, followed by the name if there is one.
  private func positions(of word: String, named name: String?) -> [Int] {
    if words == nil {
      var found: [Words: [Int]] = [:]
      for index in tokens.indices where tokens[index].kind == .name {
        found[Words(word: tokens[index].text, name: nil), default: []].append(index)
        let isNamed = isSymbol(".", index + 1) || isSymbol("[", index + 1)
        guard isNamed, index + 2 < tokens.count else { continue }
        found[Words(word: tokens[index].text, name: tokens[index + 2].text), default: []]
          .append(index)
      }
      words = found
    }
    return words?[Words(word: word, name: name)] ?? []
  }

  /// Returns the first token after `.name` or `["name"]`.
  private func end(ofName name: String?, at index: Int) -> Int? {
    guard let name else { return index }
    guard index + 1 < tokens.count, tokens[index + 1].text == name else { return nil }
    if isSymbol(".", index) { return index + 2 }
    guard isSymbol("[", index), tokens[index + 1].kind == .string, isSymbol("]", index + 2) else {
      return nil
    }
    return index + 3
  }

  /// Returns the entry at a key of the table; of several with the same key the last one, as in Lua.
  func entry(_ key: StatePath.Key, of open: Int) -> Entry? {
    if let known = read[open] { return known[key] }
    let entries = readEntries(of: open)
    read[open] = entries
    return entries[key]
  }

  private func readEntries(of open: Int) -> [StatePath.Key: Entry] {
    var entries: [StatePath.Key: Entry] = [:]
    var index = open + 1
    var position = 0
    while index < tokens.count, !isSymbol("}", index) {
      let line = tokens[index].line
      let key: StatePath.Key?
      if let (name, value) = self.key(at: index) {
        (key, index) = (name, value)
      } else {
        position += 1
        key = .index(position)
      }
      if let key { entries[key] = Entry(line: line, table: table(at: index)) }
      let end = end(ofValue: index)
      guard end > index || isSymbol("}", end) else { break }  // this is no table as Lua writes it
      index = isSymbol(",", end) || isSymbol(";", end) ? end + 1 : end
    }
    return entries
  }

  /// Returns the key of `name =`, `["name"] =` or `[expression] =`, and the token at which its value begins.
  private func key(at index: Int) -> (StatePath.Key?, Int)? {
    if tokens[index].kind == .name, isSymbol("=", index + 1) {
      return (.field(tokens[index].text), index + 2)
    }
    guard isSymbol("[", index) else { return nil }
    var close = index + 1
    var depth = 1
    while close < tokens.count {
      if tokens[close].opensBracket { depth += 1 }
      if tokens[close].closesBracket { depth -= 1 }
      if depth == 0 { break }
      close += 1
    }
    guard close == index + 2 else { return (nil, close + 2) }
    let token = tokens[index + 1]
    let key: StatePath.Key? =
      switch token.kind {
      case .string: .field(token.text)
      case .number: Int(token.text).map { .index($0) }
      default: nil
      }
    return (key, close + 2)
  }

  /// Returns the token at which a value opens that is written as a table: `{`, `list {`, `map {`.
  private func table(at index: Int) -> Int? {
    guard index < tokens.count else { return nil }
    let isMarked = tokens[index].kind == .name && ["list", "map"].contains(tokens[index].text)
    let open = isMarked ? index + 1 : index
    return isSymbol("{", open) ? open : nil
  }

  /// Returns the token after a value: a comma, or the end of its table.
  ///
  /// Brackets, and blocks that `end` closes, are skipped.
  private func end(ofValue start: Int) -> Int {
    var depth = 0
    for index in start..<max(start, tokens.count) {
      let token = tokens[index]
      if depth == 0, token.closesBracket || token.isSymbol(",") || token.isSymbol(";") {
        return index
      }
      if token.opensBracket || token.kind == .keyword && TableReader.openers.contains(token.text) {
        depth += 1
      } else if token.closesBracket || token.isKeyword("end") || token.isKeyword("until") {
        depth -= 1
      }
    }
    return tokens.count
  }

  private static let openers = ["function", "if", "do", "repeat"]

  private func isSymbol(_ text: String, _ index: Int) -> Bool {
    index < tokens.count && tokens[index].isSymbol(text)
  }
}
