import StateCharts

/// The conversion of conditions, expressions and locations to Lua.
extension ChartConverter {
  /// Converts a condition to a function.
  mutating func condition(_ text: String, _ element: DocumentElement) -> Chart.Function {
    chunk.begin(at: element.line)
    chunk.put("return \(conditionText(text, element))")
    let function = end(named: "cond", element)
    reader.file.functions[Int(function)].condition = text
    return function
  }

  mutating func conditionText(_ text: String, _ element: DocumentElement) -> String {
    if LuaText.trimmed(text).isEmpty {
      return illegal("the condition is empty: leave the attribute out", element)
    }
    switch model {
    case .lua: return expression(text, element)
    case .null:
      checkStatesAsked(in: text, element)
      // The null data model has no other conditions.
      if let state = ChartConverter.stateAsked(text) { return "In(\(LuaText.quoted(state)))" }
      if !namesModel { return undeclared(text, element) }
      return illegal(
        "a condition of the null data model must be In('state'), not \(ChartConverter.shown(text))",
        element)
    case .ecmascript:
      checkStatesAsked(in: text, element)
      do { return try fitting(ECMAScript.condition(text)) } catch {
        return unknown(text, error, element)
      }
    case .other: return "nil"
    }
  }

  /// Converts an expression to Lua in parentheses.
  ///
  /// An illegal one raises an error when it is evaluated, as the recommendation requires.
  mutating func expression(_ text: String, _ element: DocumentElement) -> String {
    checkStatesAsked(in: text, element)
    switch model {
    case .lua:
      if LuaText.isPlain(text) { return "(\(text))" }
      // A comment in it must not hide the closing parenthesis.
      let ends = LuaText.mayHaveComment(text) ? "\n" : ""
      if let misfit = reader.surroundings.misfit("return (\(text)\n)") {
        return illegal("\(ChartConverter.shown(text)) is not valid Lua: \(misfit.reason)", element)
      }
      if ["_event", "_ioprocessors"].contains(LuaText.trimmed(text)) {
        return "__plain(\(text))"
      }
      // A list of expressions is not valid in parentheses.
      return "(\(text)\(ends))"
    case .null:
      return namesModel
        ? illegal("the null data model has no expressions", element) : undeclared(text, element)
    case .ecmascript:
      do { return try fitting(ECMAScript.value(text)) } catch {
        return unknown(text, error, element)
      }
    case .other: return "nil"
    }
  }

  mutating func illegal(_ reason: String, _ element: DocumentElement) -> String {
    reader.warn(element, chunk, "\(reason); it raises error.execution where it is evaluated")
    return "__illegal(\(LuaText.quoted(reason)))"
  }

  /// Records an expression of a document that names no data model; reported once for the whole document.
  private mutating func undeclared(_ text: String, _ element: DocumentElement) -> String {
    if undeclaredModel.count < ChartConverter.mostNames {
      undeclaredModel.append((text, element.line))
    }
    return "__illegal(\"this document names no data model\")"
  }

  /// Reports that a document names no data model, with the one that its expressions probably use.
  mutating func checkUndeclaredModel(_ root: DocumentElement) {
    guard let (text, line) = undeclaredModel.first else { return }
    let isLua = undeclaredModel.contains { text, _ in
      let words = text.split { !$0.isLetter && !"~=.".contains($0) }
      return words.contains { ["and", "or", "not", "nil", "~=", "..", "then", "end"].contains($0) }
    }
    reader.warn(
      root, chunk,
      "this document names no data model; its expressions look like \(isLua ? "Lua" : "ECMAScript") (line \(line): "
        + "\(ChartConverter.shown(text))): write datamodel=\"\(isLua ? "lua" : "ecmascript")\"; without one each "
        + "raises error.execution")
  }

  /// Reports the states in `In('ID')` that do not exist.
  mutating func checkStatesAsked(in text: String, _ element: DocumentElement) {
    guard text.contains("In") else { return }
    for id in StatesAsked(in: text, commentsAs: model == .ecmascript ? "//" : "--").ids
    where !isState(id) {
      fault(element, "In('\(id)'): there is no state \(id)" + suggestion(for: id))
    }
  }

  /// Returns translated ECMAScript, or throws if it is nested too deeply for Lua.
  private func fitting(_ lua: String) throws(ECMAScript.Unknown) -> String {
    if LuaText.isPlain(lua) { return lua }
    let around = 20
    let text =
      "return " + String(repeating: "(", count: around) + lua
      + String(repeating: ")", count: around)
    if reader.surroundings.misfit(text) != nil {
      throw ECMAScript.Unknown(reason: "it is nested too deeply")
    }
    return lua
  }

  private mutating func unknown(
    _ text: String, _ error: ECMAScript.Unknown, _ element: DocumentElement
  ) -> String {
    if error.kind == .illegal {
      return illegal(
        "\(ChartConverter.shown(text)) is not valid ECMAScript: \(error.reason)", element)
    }
    obstruct(
      element,
      "\(ChartConverter.shown(text)): \(error.reason); of ecmascript, supported are \(ECMAScript.extent)"
    )
    return "nil"
  }

  /// Returns the beginning of a long text, for a message.
  static func shown(_ text: String) -> String {
    text.utf8.count <= 100 ? text : text.prefix(60) + "..."
  }

  /// Returns the state of `In('ID')`, or nil if the text is anything else.
  private static func stateAsked(_ text: String) -> String? {
    let text = text.filter { !$0.isWhitespace }
    guard text.hasPrefix("In("), text.hasSuffix(")"), let quote = text.dropFirst(3).first,
      quote == "'" || quote == "\"", text.dropLast().last == quote, text.count > 5
    else { return nil }
    let name = String(text.dropFirst(4).dropLast(2))
    return name.contains(quote) ? nil : name
  }

  /// Converts an assignable location: a variable or a part of its value; returns nil if it was reported as illegal.
  mutating func location(
    _ attribute: String, _ element: DocumentElement
  ) -> (text: String, root: String)? {
    guard let written = required(attribute, element) else { return nil }
    let text = LuaText.trimmed(written)
    if model == .ecmascript {
      if let found = try? ECMAScript.location(text) { return (found.lua, found.root) }
      let reason = "\"\(ChartConverter.shown(written))\" is not a location that can be assigned"
      chunk.put(illegal(reason, element), at: element.line)
      return nil
    }
    let root = String(
      Substring(text.utf8.prefix { $0 != 46 && $0 != 91 && !LuaText.isBlank($0) }))
    if model == .null || !LuaText.isName(root)
      || (!LuaText.isPlain(text) && reader.surroundings.misfit("\(text) = nil") != nil)
    {
      let reason = "\"\(ChartConverter.shown(written))\" is not a location that can be assigned"
      chunk.put(illegal(reason, element), at: element.line)
      return nil
    }
    return (text, root)
  }

  /// Converts the content of an element to a value.
  mutating func inlineValue(_ element: DocumentElement) -> String {
    if !element.elements.isEmpty { return LuaText.quoted(element.inside) }
    return valueText(element.text.text, element)
  }

  /// Converts a text to a value: a literal of the data model, or the text itself with single blanks.
  mutating func valueText(_ text: String, _ element: DocumentElement) -> String {
    let trimmed = LuaText.trimmed(text)
    if trimmed.isEmpty { return "nil" }
    if Double(trimmed) != nil, reader.surroundings.misfit("return \(trimmed)") == nil {
      return trimmed
    }
    let isLiteral =
      ["true", "false", "nil"].contains(trimmed) || "{\"'".contains(trimmed.first ?? " ")
    if model == .lua, isLiteral, reader.surroundings.misfit("return (\(trimmed)\n)") == nil {
      return "(\(trimmed)\(LuaText.mayHaveComment(trimmed) ? "\n" : ""))"
    }
    if model == .ecmascript {
      do {
        if let value = try ECMAScript.literal(trimmed) { return value }
      } catch {
        return unknown(trimmed, error, element)
      }
    }
    return LuaText.quoted(LuaText.spaced(text))
  }
}
