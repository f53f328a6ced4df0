import FlowLanguage
import LuaRuntime
import StateCharts

/// The name of a transition's condition in a picture.
///
/// It is the name of its function, or of the function that makes it, or its result expression if that is short.
struct ConditionText {
  let text: FlowText

  /// The largest length of a result expression.
  private static let most = 40

  /// Returns the name, or `when` for a condition that has no name and is long.
  func name(of function: Chart.Function, in machine: Machine) -> String {
    if let written = text.flow.document?.conditions[function] {
      return written.utf8.count > ConditionText.most ? "when" : written
    }
    let condition = machine.functions[Int(function)]
    let candidates = text.functions(at: condition.place) ?? []
    // Of nested functions on one line the inner one is meant, which the outer one returns.
    let inner = candidates.filter { candidate in
      !candidates.contains {
        $0 != candidate && self.function($0).parent == candidate.function
      }
    }
    guard inner.count == 1, let id = inner.first else { return "when" }
    let found = self.function(id)
    if let name = found.name, name != "when" { return name }
    let source = text.sources[id.source]
    // The result expression of a function that another one makes may depend on that one's parameters.
    if let maker = found.parent { return source.functions[maker].name ?? "when" }
    return returned(by: found, in: source) ?? "when"
  }

  private func function(_ id: SourceFunction) -> LuaFunction {
    text.sources[id.source].functions[id.function]
  }

  /// Returns the first result of a function that only returns; nil if it is long.
  private func returned(by function: LuaFunction, in source: LuaSource) -> String? {
    let tokens = source.tokens[function.tokens]
    guard tokens.first?.isKeyword("return") == true else { return nil }
    var written = ""
    var depth = 0
    for (before, token) in zip(tokens, tokens.dropFirst()) {
      if token.opensBracket { depth += 1 }
      if token.closesBracket { depth -= 1 }
      if depth == 0, token.isSymbol(",") || token.isSymbol(";") { break }
      if token.isKeyword("function") { return nil }
      if !written.isEmpty, stands(token, apartFrom: before) { written += " " }
      written += token.kind == .string ? Value.quoted(token.text, limit: .max) : token.text
      if written.utf8.count > ConditionText.most { return nil }
    }
    return written.isEmpty ? nil : written
  }

  private func stands(_ token: LuaToken, apartFrom before: LuaToken) -> Bool {
    if before.kind == .symbol, [".", ":", "(", "[", "{", "#"].contains(before.text) {
      return false
    }
    guard token.kind == .symbol else { return true }
    if [".", ":", ")", "]", "}", ","].contains(token.text) { return false }
    let isCall = token.text == "(" || token.text == "["
    return !(isCall && (before.kind == .name || before.closesBracket))
  }
}
