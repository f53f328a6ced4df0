import StateCharts

/// Executable content, which runs when states are entered and exited, and in transitions.
extension ChartConverter {
  /// Converts a block of content to a function; returns nil for an empty element.
  mutating func block(_ element: DocumentElement) -> Chart.Function? {
    guard element.elements.contains(where: { $0.name != nil }) else { return nil }
    chunk.begin(at: element.line)
    content(element.elements)
    return end(named: element.written, element)
  }

  mutating func content(_ elements: [DocumentElement]) {
    for element in elements { statement(element) }
  }

  private mutating func statement(_ element: DocumentElement) {
    let line = element.line
    switch element.name {
    case "raise":
      guard let event = required("event", element) else { return }
      checkEventName(of: element)
      chunk.put("__raise(\(LuaText.quoted(event)))", at: line)
    case "log":
      let label = element["label"].map(LuaText.quoted) ?? "nil"
      let value = element["expr"].map { expression($0, element) } ?? "nil"
      chunk.put("__log(\(label), \(value))", at: line)
    case "assign": assign(element)
    case "script": script(inline: element)
    case "if": branches(element)
    case "foreach": loop(element)
    case "send": send(element)
    case "cancel":
      let id =
        element["sendid"].map(LuaText.quoted)
        ?? element["sendidexpr"].map { expression($0, element) }
      guard let id else { return fault(element, "<cancel> needs sendid or sendidexpr") }
      chunk.put("__cancel(\(id))", at: line)
    case nil:
      reader.warn(
        element, chunk, "<\(element.written)> is not an element of SCXML, and is ignored")
    default: fault(element, "<\(element.written)> is not executable content")
    }
  }

  private mutating func assign(_ element: DocumentElement) {
    guard let location = location("location", element) else { return }
    chunk.put("__write(\(LuaText.quoted(location.root)))", at: element.line)
    if let text = element["expr"] {
      chunk.put("\(location.text) = \(expression(text, element))")
    } else {
      noteDocument(in: element, as: location.root)
      chunk.put("\(location.text) = \(inlineValue(element))")
    }
  }

  private mutating func script(inline element: DocumentElement) {
    guard let (text, line) = scriptText(element) else { return }
    chunk.put("__script(function()", at: element.line)
    chunk.put(text, at: line)
    chunk.put("\nend)")
  }

  /// Returns the text of a script and the line in which it begins; nil if it is empty.
  mutating func scriptText(_ element: DocumentElement) -> (text: String, line: Int)? {
    var (text, line) = element.text
    if let source = element["src"] {
      guard let found = external(source, element) else {
        fault(element, "the document does not run, because its script cannot be read: \(source)")
        return nil
      }
      (text, line) = (found, element.line)
    }
    if LuaText.trimmed(text).isEmpty { return nil }
    if model == .ecmascript {
      do throws(ECMAScript.Unknown) {
        let (script, roots) = try ECMAScript.script(text)
        document.created.formUnion(roots)
        return script.isEmpty ? nil : (script, line)
      } catch  where error.kind == .illegal {
        return (illegal("the script is not valid ECMAScript: \(error.reason)", element), line)
      } catch {
        obstruct(
          element,
          "a script of ecmascript: \(error.reason); supported are \(ECMAScript.extentOfScripts)")
        return nil
      }
    }
    guard model == .lua else {
      obstruct(
        element,
        namesModel
          ? "a script of \(modelName) cannot run: documents of lua and ecmascript can have scripts"
          : "there is a script, but the document names no data model: write datamodel=\"ecmascript\", or \"lua\""
      )
      return nil
    }
    if let misfit = reader.surroundings.misfit(text) {
      let (reason, place) = placed(misfit, from: element["src"] == nil ? line : 1)
      reader.warn(
        element, chunk, "the script is not valid Lua: \(reason); it raises error.execution",
        at: element["src"] == nil ? place : nil)
      return ("__illegal(\(LuaText.quoted(reason)))", line)
    }
    checkStatesAsked(in: text, element)
    document.created.formUnion(reader.surroundings.assigned(text))
    return (text, line)
  }

  /// Returns the reason with lines of the document instead of the script, and the line at fault.
  ///
  /// Lua names the line in the reason if the error is not on the line that it has reached.
  ///
  /// - Parameter first: the document's line in which the script begins.
  private func placed(
    _ misfit: (reason: String, line: Int), from first: Int
  ) -> (reason: String, line: Int) {
    let parts = misfit.reason.split(separator: " line ", omittingEmptySubsequences: false)
    var place = first + misfit.line - 1
    if parts.count == 1 {
      return (misfit.line == 1 ? misfit.reason : "\(misfit.reason) in line \(place)", place)
    }
    let moved = parts.dropFirst().map { part in
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      guard let line = Int(digits) else { return String(part) }
      place = first + line - 1
      return "\(place)\(part.dropFirst(digits.count))"
    }
    return (([String(parts[0])] + moved).joined(separator: " line "), place)
  }

  private mutating func branches(_ element: DocumentElement) {
    guard let first = required("cond", element) else { return }
    chunk.put("if \(held(first, element)) then", at: element.line)
    var isLast = false
    for child in element.elements {
      switch child.name {
      case "elseif":
        if isLast { fault(child, "<elseif> comes after <else>") }
        guard let condition = required("cond", child) else { continue }
        chunk.put("elseif \(held(condition, child)) then", at: child.line)
      case "else":
        if isLast { return fault(child, "there are two <else>") }
        isLast = true
        chunk.put("else", at: child.line)
      default: statement(child)
      }
    }
    chunk.put("end")
  }

  /// Converts a condition that counts as false if its evaluation fails.
  private mutating func held(_ text: String, _ element: DocumentElement) -> String {
    "__holds(function() return \(conditionText(text, element)) end)"
  }

  private mutating func loop(_ element: DocumentElement) {
    guard let array = required("array", element), let item = required("item", element) else {
      return
    }
    let names = [item, element["index"]].compactMap(\.self)
    if let wrong = names.first(where: { !LuaText.isName($0) }) {
      chunk.put(
        "__illegal(\(LuaText.quoted("\"\(wrong)\" is not a valid name of a variable")))",
        at: element.line)
      return
    }
    chunk.put("for __index, __item in __each(\(expression(array, element))) do", at: element.line)
    document.created.formUnion(names)
    for name in names { chunk.put("__write(\(LuaText.quoted(name)), true)") }
    chunk.put("__set(\(number), \(LuaText.quoted(item)), __item)")
    if let index = element["index"] {
      let place = model == .ecmascript ? "__index - 1" : "__index"
      chunk.put("__set(\(number), \(LuaText.quoted(index)), \(place))")
    }
    content(element.elements)
    chunk.put("end")
  }

  // MARK: Sending

  private mutating func send(_ element: DocumentElement) {
    let line = element.line
    func choice(_ plain: String, _ expression: String) -> String? {
      if element[plain] != nil, element[expression] != nil {
        reader.fault(element, chunk, "<send> can have \(plain) or \(expression), not both")
      }
      return element[plain].map(LuaText.quoted)
        ?? element[expression].map { self.expression($0, element) }
    }
    checkEventName(of: element)
    checkDelay(of: element)
    let kind = element["type"] ?? ChartConverter.literal(element["typeexpr"]) ?? ""
    if kind == "basichttp" || kind.hasSuffix("#BasicHTTPEventProcessor") {
      reader.warn(
        element, chunk,
        "there is no BasicHTTP event processor: <send> raises error.communication instead"
      )
    }
    chunk.put("do local __message = {", at: line)
    for (field, plain, expression) in [
      ("event", "event", "eventexpr"), ("target", "target", "targetexpr"),
      ("kind", "type", "typeexpr"), ("delay", "delay", "delayexpr"),
    ] {
      if let text = choice(plain, expression) { chunk.put("\(field) = \(text),") }
    }
    if let id = element["id"] { chunk.put("id = \(LuaText.quoted(id)),") }
    chunk.put("}")
    if element["idlocation"] != nil, let location = location("idlocation", element) {
      if element["id"] != nil { fault(element, "<send> can have id or idlocation, not both") }
      chunk.put(
        "__message.id = __new_id() __write(\(LuaText.quoted(location.root))) \(location.text) = __message.id"
      )
    }
    payload(element, returns: false)
    chunk.put("__send(__message) end")
  }

  private mutating func checkEventName(of element: DocumentElement) {
    guard let event = element["event"], !EventNames.isName(event) else { return }
    fault(element, EventNames.misfit(event, in: [event]))
  }

  /// Checks a delay that is a literal when the document is read.
  private mutating func checkDelay(of element: DocumentElement) {
    let units = "a number and a unit, s or ms: 1.5s, 500ms"
    if let delay = element["delay"], Delay.seconds(delay) == nil {
      fault(element, "delay \"\(delay)\" is not a duration: write \(units)")
    }
    guard let text = element["delayexpr"] else { return }
    if let literal = ChartConverter.literal(text), Delay.seconds(literal) == nil {
      fault(element, "delayexpr \"\(text)\" is not a duration: write \(units)")
    } else if let number = Double(LuaText.trimmed(text)) {
      number < 0
        ? fault(element, "delayexpr \"\(text)\" is not a duration: it is below 0")
        : reader.warn(
          element, chunk,
          "delayexpr is a number, which is read as milliseconds: write '\(LuaText.trimmed(text))ms'"
        )
    }
  }

  /// Converts the payload of an event: `namelist`, `<param>`, or `<content>`.
  mutating func payload(_ element: DocumentElement, returns: Bool) {
    let params = element.elements.filter { $0.name == "param" }
    let contents = element.elements.filter { $0.name == "content" }
    for other in element.elements where other.name != "param" && other.name != "content" {
      if other.name == nil { continue }
      fault(other, "<\(other.written)> is not allowed in <\(element.written)>")
    }
    if !contents.isEmpty, !params.isEmpty || element["namelist"] != nil {
      fault(element, "<\(element.written)> can have <content>, or namelist and <param>, not both")
    }
    let target = returns ? "local __message = {}" : ""
    if !target.isEmpty { chunk.put(target) }
    if let content = contents.first {
      let value = content["expr"].map { expression($0, content) } ?? inlineValue(content)
      if returns {
        chunk.put("__param(__message, true, function() return \(value) end)", at: content.line)
      } else {
        chunk.put("__message.data = \(value)", at: content.line)
      }
    }
    for name in ChartConverter.names(element["namelist"] ?? "") {
      let value = expression(name, element)
      chunk.put(
        returns
          ? "__param(__message, \(LuaText.quoted(name)), function() return \(value) end)"
          : "__add(__message, \(LuaText.quoted(name)), \(value))")
    }
    for param in params {
      guard let name = required("name", param) else { continue }
      let text = param["expr"] ?? param["location"]
      guard let text else {
        fault(param, "<param> needs expr or location")
        continue
      }
      let value = expression(text, param)
      chunk.put(
        returns
          ? "__param(__message, \(LuaText.quoted(name)), function() return \(value) end)"
          : "__add(__message, \(LuaText.quoted(name)), \(value))", at: param.line)
    }
    if returns { chunk.put("return __message.data") }
  }

  // MARK: Attributes

  mutating func required(_ name: String, _ element: DocumentElement) -> String? {
    if let value = element[name] { return value }
    fault(element, "<\(element.written)> needs \(name)")
    return nil
  }

  mutating func obstruct(_ element: DocumentElement, _ message: String) {
    reader.obstruct(element, chunk, message)
  }

  var modelName: String {
    switch model {
    case .null: "null"
    case .lua: "lua"
    case .ecmascript: "ecmascript"
    case .other(let name): name
    }
  }
}
