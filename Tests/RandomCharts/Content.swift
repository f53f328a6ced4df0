/// A condition that exists in both Lua and ECMAScript.
indirect enum Condition: Sendable {
  case isIn(String)
  case isEvent(String)
  case below(String, Int)
  case equals(String, String)
  case not(Condition)
  case both(Condition, Condition)
  case either(Condition, Condition)
}

/// A statement of a document that has the same effect in Lua and in ECMAScript.
indirect enum Statement: Sendable {
  case log(String)
  case show(String)
  case raise(String)
  case send(String)
  /// Adds to a variable, which stays below a number.
  case add(String, Int, below: Int)
  case copy(String, from: String)
  /// Raises an error, so that the rest of its block is not run.
  case fail
  case branch(Condition, [Statement], [Statement])
}

/// The language of a document's conditions and expressions.
enum DocumentLanguage: String, Sendable { case lua, ecmascript }

extension Condition {
  func text(_ language: DocumentLanguage) -> String {
    let isLua = language == .lua
    switch self {
    case .isIn(let state): return "In('\(state)')"
    case .isEvent(let name): return "_event.name == '\(name)'"
    case .below(let name, let most): return "\(name) < \(most)"
    case .equals(let one, let other): return "\(one) \(isLua ? "==" : "===") \(other)"
    case .not(let inner): return (isLua ? "not " : "!") + "(\(inner.text(language)))"
    case .both(let one, let other):
      return "(\(one.text(language))) \(isLua ? "and" : "&&") (\(other.text(language)))"
    case .either(let one, let other):
      return "(\(one.text(language))) \(isLua ? "or" : "||") (\(other.text(language)))"
    }
  }
}

extension Statement {
  func text(_ language: DocumentLanguage) -> String {
    switch self {
    case .log(let label): return "<log label=\"\(label)\"/>"
    case .show(let name): return "<log label=\"\(name)\" expr=\"\(name)\"/>"
    case .raise(let event): return "<raise event=\"\(event)\"/>"
    case .send(let event): return "<send event=\"\(event)\"/>"
    case .add(let name, let more, let below):
      return "<assign location=\"\(name)\" expr=\"(\(name) + \(more)) % \(below)\"/>"
    case .copy(let name, let other): return "<assign location=\"\(name)\" expr=\"\(other)\"/>"
    case .fail: return "<assign location=\"nowhere\" expr=\"1\"/>"
    case .branch(let condition, let yes, let no):
      let other = no.isEmpty ? "" : "<else/>" + no.map { $0.text(language) }.joined()
      return "<if cond=\"\(DocumentText.escaped(condition.text(language)))\">"
        + yes.map { $0.text(language) }.joined() + other + "</if>"
    }
  }
}
