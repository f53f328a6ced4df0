import FlowLanguage
import Platform

/// The text of the flow that a session plays: a file with its modules, or typed declarations.
struct SessionText {
  /// A typed declaration, with the head by which a later one replaces it.
  struct Piece {
    let head: String
    let text: String
  }

  private(set) var file: URL?
  private(set) var displayName: String
  private(set) var pieces: [Piece] = []

  init(file: URL, displayName: String) {
    self.file = file
    self.displayName = displayName
  }

  private init() { displayName = "flow.lua" }

  /// Returns the text of an empty flow.
  static func typed() -> SessionText { SessionText() }

  var isTyped: Bool { file == nil }

  /// The typed declarations as the text of a file.
  var typedText: String { pieces.map { $0.text + "\n" }.joined(separator: "\n") }

  var sources: FlowSources {
    if let file { return FlowSources(file: file, displayName: displayName) }
    let hasState = pieces.contains { $0.head == "state" }
    // It is on the first line, so that the others keep their numbers.
    return FlowSources(text: (hasState ? "" : "state {} ") + typedText, name: displayName)
  }

  /// Returns the text with one more declaration, which replaces one of the same head.
  func adding(_ piece: Piece) -> SessionText {
    var text = self
    if let index = pieces.firstIndex(where: { $0.head == piece.head }), !piece.head.isEmpty {
      text.pieces[index] = piece
    } else {
      text.pieces.append(piece)
    }
    return text
  }

  func has(_ head: String) -> Bool { pieces.contains { $0.head == head } }

  /// Returns the current lines of one of the flow's files.
  func lines(of name: String) -> [Substring] {
    let text: String
    if isTyped {
      text = typedText
    } else {
      let here = URL(filePath: name)
      guard let read = try? TextFile.read(here, name: name) else { return [] }
      text = read
    }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }
}

/// A declaration of the flow language that is typed at the prompt.
struct TypedDeclaration {
  /// The name of the declaration, by which a later one replaces it: `reduce.coin`.
  let head: String
  let text: String

  /// Returns nil if the text is not a declaration.
  init?(_ text: String) {
    let trimmed = text.drop(while: \.isWhitespace)
    let named = [
      /^function\s+(gate|reduce|view|effect|invariant)\s*(?:[.]\s*(\w+)|\[\s*"([^"]*)"\s*\])/,
      /^(action|internal|machine|gatekeeper|scope)\s*(?:[.]\s*(\w+)|\[\s*"([^"]*)"\s*\])\s*[{(]/,
      /^(gate|reduce|view|effect|invariant)\s*(?:[.]\s*(\w+)|\[\s*"([^"]*)"\s*\])\s*=[^=]/,
    ]
    if let match = named.lazy.compactMap({ trimmed.firstMatch(of: $0) }).first {
      head = Names.dotted(String(match.1), String(match.2 ?? match.3 ?? ""))
    } else if trimmed.firstMatch(of: /^state\s*[{(]/) != nil {
      head = "state"
    } else if let match = trimmed.firstMatch(of: /^(gate|effect)\s*\(\s*"([^"]*)"/) {
      head = "\(match.1)(\(match.2))"
    } else if let match = trimmed.firstMatch(of: /^local\s+(?:function\s+)?(\w+)/) {
      head = "local \(match.1)"
    } else {
      return nil
    }
    self.text = String(trimmed)
  }
}
