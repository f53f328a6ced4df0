import StateCharts

/// The variables and scripts of a document, and the documents that it invokes.
extension ChartConverter {
  mutating func datum(_ element: DocumentElement, in state: Int32) {
    guard element.name == "data" else {
      if element.name != nil {
        fault(element, "<\(element.written)> is not allowed in <datamodel>")
      }
      return
    }
    guard let id = required("id", element) else { return }
    if let other = declared.updateValue(chunk.place(element.line), forKey: id) {
      return fault(element, "data \(id) is declared twice: here and in line \(other.line)")
    }
    if ["_event", "_sessionid", "_name", "_ioprocessors", "_x"].contains(id) || id.hasPrefix("#") {
      return fault(element, "data \(id): this name is reserved")
    }
    var value: (text: String, line: Int)?
    let parts = [element["expr"], element["src"]].compactMap(\.self)
    let hasContent = !element.elements.isEmpty || !LuaText.trimmed(element.text.text).isEmpty
    if parts.count + (hasContent ? 1 : 0) > 1 {
      fault(element, "data \(id) can have only one of expr, src and content")
    }
    chunk.begin(at: element.line)
    if let text = element["expr"] {
      value = (expression(text, element), element.line)
    } else if let source = element["src"] {
      value = (
        external(source, element).map { valueText($0, element) }
          ?? "__illegal(\"it cannot be read\")",
        element.line
      )
    } else if hasContent {
      noteDocument(in: element, as: id)
      value = (inlineValue(element), element.line)
    }
    if let value {
      chunk.put("__set(\(number), \(LuaText.quoted(id)), \(value.text))", at: value.line)
    }
    let function = end(named: "data \(id)", element)
    document.data.append(
      .init(
        id: id, state: state, function: value == nil ? nil : function,
        place: chunk.place(element.line)))
  }

  mutating func script(_ element: DocumentElement) {
    guard let (text, line) = scriptText(element) else { return }
    chunk.begin(at: element.line)
    chunk.put(text, at: line)
    chunk.put("\n")
    chunk.noteScript()
    document.scripts.append(end(named: "script", element))
  }

  /// Reads a text relative to the document; warns and returns nil if it cannot be read.
  mutating func external(_ source: String, _ element: DocumentElement) -> String? {
    let path = source.hasPrefix("file:") ? String(source.dropFirst(5)) : source
    do {
      return try reader.surroundings.text(path).text
    } catch {
      reader.warn(element, chunk, "src \(source): \(error)")
      return nil
    }
  }

  // MARK: Documents in documents

  /// Records the document in a variable's initial value, which can be invoked from there.
  mutating func noteDocument(in element: DocumentElement, as name: String) {
    if let root = element.elements.first(where: { $0.name == "scxml" }) {
      elementsInData[name] = root
    }
  }

  /// Reads a document inside this one, and returns its number.
  mutating func invoked(_ root: DocumentElement) -> Int? {
    reader.readDocument(root, &chunk, depth: depth + 1)
  }

  mutating func invoke(_ element: DocumentElement, _ state: Int32, _ place: Int) {
    var invoke = Document.Invoke(
      id: element["id"], state: state, number: place, place: chunk.place(element.line))
    invoke.forwards = element["autoforward"] == "true"
    if element["idlocation"] != nil {
      chunk.begin(at: element.line)
      if let location = location("idlocation", element) {
        chunk.put("__write(\(LuaText.quoted(location.root))) \(location.text) = __new_id()")
      }
      invoke.idLocation = end(named: "idlocation", element)
    }
    let type = element["type"] ?? ChartConverter.literal(element["typeexpr"])
    if let type,
      !["scxml", "http://www.w3.org/TR/scxml/", "http://www.w3.org/TR/scxml"].contains(type)
    {
      invoke.obstacle = "only SCXML documents can be invoked, not \(type)"
      invoke.isOfUnknownType = true
    } else if type == nil, element["typeexpr"] != nil {
      invoke.obstacle =
        "typeexpr must be a string literal, because the invoked document must be known in advance"
    }
    for name in ChartConverter.names(element["namelist"] ?? "") {
      invoke.parameters.append(parameter(name, name, element))
    }
    for child in element.elements {
      switch child.name {
      case "param":
        guard let name = required("name", child) else { continue }
        guard let text = child["expr"] ?? child["location"] else {
          fault(child, "<param> needs expr or location")
          continue
        }
        invoke.parameters.append(parameter(name, text, child))
      case "finalize":
        invoke.finalize = block(child) ?? finalizeByName(child, invoke)
      case "content": invoke.document = document(in: child)
      case nil: continue
      default: fault(child, "<\(child.written)> is not allowed in <invoke>")
      }
    }
    let source = element["src"] ?? ChartConverter.literal(element["srcexpr"])
    if invoke.document == nil, invoke.obstacle == nil {
      if let source {
        invoke.document = document(at: source, element)
      } else if let expression = element["srcexpr"] {
        choose(&invoke, by: expression, element)
      }
      if invoke.document == nil {
        invoke.obstacle =
          source.map { "\($0) cannot be read" }
          ?? "the invoked document must be known in advance: use content, src, or a string in the document for srcexpr"
      }
    }
    document.invokes.append(invoke)
  }

  /// Sets the possible documents of an invocation by expression: the texts of this document that name documents.
  private mutating func choose(
    _ invoke: inout Document.Invoke, by expression: String, _ element: DocumentElement
  ) {
    for source in sources {
      if let number = document(at: source, element) { invoke.choices[source] = number }
    }
    chunk.begin(at: element.line)
    chunk.put("return \(self.expression(expression, element))")
    invoke.choice = end(named: "srcexpr", element)
  }

  /// Returns the texts in an element and its descendants that name documents, in order.
  static func sources(in element: DocumentElement) -> [String] {
    var found: [String] = []
    for value in ["expr", "srcexpr"].compactMap({ element[$0] }) {
      guard let text = literal(value), text.hasSuffix(".scxml"), !found.contains(text) else {
        continue
      }
      found.append(text)
    }
    for child in element.elements where child.name != "scxml" {
      found += sources(in: child).filter { !found.contains($0) }
    }
    return found
  }

  private mutating func parameter(
    _ name: String, _ text: String, _ element: DocumentElement
  ) -> Document.Parameter {
    chunk.begin(at: element.line)
    chunk.put("return \(expression(text, element))")
    return .init(name: name, function: end(named: "param \(name)", element))
  }

  /// Converts an empty finalize, which stores the event's data in the variables of the same names.
  private mutating func finalizeByName(
    _ element: DocumentElement, _ invoke: Document.Invoke
  ) -> Chart.Function {
    chunk.begin(at: element.line)
    for parameter in invoke.parameters where LuaText.isName(parameter.name) {
      let name = LuaText.quoted(parameter.name)
      chunk.put(
        "if __kind(_event.data) == \"object\" and _event.data[\(name)] ~= nil then __set(\(number), \(name), _event.data[\(name)]) end"
      )
    }
    return end(named: "finalize", element)
  }

  private mutating func document(in content: DocumentElement) -> Int? {
    if let root = content.elements.first(where: { $0.name == "scxml" }) { return invoked(root) }
    guard let text = content["expr"], LuaText.isName(text) else { return nil }
    return elementsInData[text].flatMap { invoked($0) }
  }

  private mutating func document(at source: String, _ element: DocumentElement) -> Int? {
    let path = source.hasPrefix("file:") ? String(source.dropFirst(5)) : source
    do {
      let found = try reader.surroundings.text(path)
      let root = try DocumentElement.read(found.text, file: found.name)
      return reader.readFile(root, name: found.name, depth: depth + 1)
    } catch let fault as DocumentFault {
      reader.file.faults.append(fault)
    } catch {
      reader.warn(element, chunk, "src \(source): \(error)")
    }
    return nil
  }

  /// Returns the text of an expression that is a plain string literal; nil for any other.
  static func literal(_ expression: String?) -> String? {
    guard let text = expression?.split(whereSeparator: \.isWhitespace).joined(separator: " "),
      let quote = text.first, quote == "'" || quote == "\"", text.count > 1, text.last == quote
    else { return nil }
    let inside = String(text.dropFirst().dropLast())
    return inside.contains(quote) || inside.contains("\\") ? nil : inside
  }
}
