import FlowLanguage

/// The functions of a flow's sources by their outlines, which both Lua and the syntax trees know.
struct FunctionOutlines {
  /// The outline of a function.
  private struct Outline: Hashable {
    let place: SourcePlace
    let lastLine: Int
    let parameters: Int
  }

  /// The functions by their outlines; nil for an outline that several functions have.
  private var functions: [Outline: LuaTree.FunctionID?] = [:]

  init(_ text: FlowText) {
    for source in text.sources {
      for (number, function) in (source.tree?.functions ?? []).enumerated().dropFirst() {
        let outline = Outline(
          place: SourcePlace(file: source.name, line: function.line), lastLine: function.lastLine,
          parameters: function.parameters.count)
        functions[outline] = .some(functions[outline] == nil ? number : nil)
      }
    }
  }

  /// Returns a function in the tree of its file; nil if several functions have its outline.
  subscript(function: FlowFunction) -> LuaTree.FunctionID? {
    functions[
      Outline(
        place: function.place, lastLine: function.lastLine, parameters: function.parameters)
    ]
    .flatMap(\.self)
  }
}
