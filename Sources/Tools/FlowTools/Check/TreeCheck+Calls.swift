import FlowLanguage
import LuaRuntime

/// Checks of the arguments of calls.
extension TreeCheck {
  func call(
    _ callee: LuaTree.ExpressionID, _ arguments: [LuaTree.ExpressionID],
    _ expression: LuaTree.Expression
  ) -> [Finding] {
    if let function = shapes.functions.function(at: callee) {
      return call(of: function, callee, arguments, expression)
    }
    switch tree.expressions[callee].kind {
    case .global("after") where !globals.contains("after") && arguments.count > 1:
      guard let action = tree.string(arguments[1]) else { return [] }
      return payload(action, arguments.dropFirst(2).first, expression.line)
        + seconds(arguments[0], expression.line)
    case .global("sleep") where !globals.contains("sleep"):
      return arguments.first.map { seconds($0, expression.line) } ?? []
    case .global("dispatch") where !arguments.isEmpty:
      guard let action = tree.string(arguments[0]) else { return [] }
      return payload(action, arguments.dropFirst().first, expression.line)
    case .global(let word) where MachineWords.asking.contains(word):
      guard !globals.contains(word), arguments.count > 1 else { return [] }
      return stateName(arguments[1], expression.line)
    case .global(let word) where word == "list_of" || word == "map_of":
      return declaredTable(word, arguments, expression.line)
    case .field(let table, let member):
      if case .global(let library) = tree.expressions[table].kind {
        switch library {
        case "dispatch": return payload(member, arguments.first, expression.line)
        case "table":
          return changed(member, arguments, expression.line)
            + withoutResult(member, arguments, expression.line)
        case "string" where member == "format": return format(arguments, expression.line)
        case "view": return view(member, arguments, expression.line)
        default: break
        }
      }
      return dot(table, member, arguments, expression)
    default:
      switch shapes.shapes[callee] {
      case .record, .list, .map, .scalar:
        return [
          finding(
            .wrongKind, expression.line, "\(title(callee)) is not a function, and cannot be called")
        ]
      default: return []
      }
    }
  }

  private func payload(
    _ action: String, _ value: LuaTree.ExpressionID?, _ line: Int
  ) -> [Finding] {
    guard let action = flow.action(named: action) else { return [] }
    return TypeCheck.payload(of: action, value, in: name, shapes, line: line)
  }

  /// Checks a time, which must be a number or a text such as `1h30m`.
  private func seconds(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    if let text = tree.string(id) {
      return Value.string(text).seconds != nil
        ? []
        : [
          finding(.unknownValue, line, "\"\(text)\" is not a duration: write seconds, or \"1h30m\"")
        ]
    }
    switch shapes.shapes[id].kind {
    case .boolean?, .table?: break
    case .function?: return notCalled(id, line)
    default: return []
    }
    return [finding(.unknownValue, line, "this is not a duration: write seconds, or \"1h30m\"")]
  }

  /// Checks the state name in `in_state(s, "door.opne")`.
  private func stateName(_ id: LuaTree.ExpressionID, _ line: Int) -> [Finding] {
    guard let text = tree.string(id), let known = machineWords?.names, !known.contains(text)
    else { return [] }
    return [
      finding(
        .unknownValue, line,
        "no machine has a state \(text)" + Names.suggestion(for: text, among: known.sorted()))
    ]
  }

  /// Checks a declaration such as `map_of { lives = integer, key = string }`, whose `key` is a field.
  private func declaredTable(
    _ word: String, _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    guard let only = arguments.first, arguments.count == 1,
      case .table(let items) = tree.expressions[tree.bare(only)].kind,
      items.allSatisfy({ if case .named = $0 { true } else { false } }), items.count > 1
    else { return [] }
    let words = word == "map_of" ? ["key", "max_length"] : ["min_length", "max_length"]
    return items.compactMap { item in
      guard case .named(let key, _, let line) = item, words.contains(key) else { return nil }
      return finding(
        .strayConstraint, line,
        "\(key) is a field of the records here; to use it as a constraint, write it beside them: "
          + "\(word) { { ... }, \(key) = ... }; to keep the field, write \(word)({ ... })")
    }
  }

  /// Checks the list in `table.insert(s.items, it)` and similar calls.
  private func changed(
    _ member: String, _ arguments: [LuaTree.ExpressionID], _ line: Int
  ) -> [Finding] {
    guard ["insert", "remove", "sort", "concat"].contains(member), let list = arguments.first else {
      return []
    }
    if member != "concat", let refused = refusedWrite(list, line) { return [refused] }
    switch shapes.shapes[list].present {
    case .map(_, _?), .record, .scalar:
      return [
        finding(
          .wrongKind, line, "\(title(list)) is not a list, but table.\(member) needs one")
      ]
    case .list(_, .listOf(let element, _, _, _)) where member == "insert":
      guard let value = arguments.dropFirst().last else { return [] }
      let place = title(list) + "[...]"
      return TypeCheck.state(value, element, at: place, in: name, shapes)
        + wider(value, than: element, at: place, line)
    default: return []
    }
  }

  /// Checks for fewer values than a pattern requires.
  private func format(_ arguments: [LuaTree.ExpressionID], _ line: Int) -> [Finding] {
    guard let pattern = arguments.first.flatMap(tree.string), let last = arguments.last else {
      return []
    }
    switch tree.expressions[last].kind {
    case .call, .method, .vararg: return []
    default: break
    }
    let wanted = pattern.replacing("%%", with: "").count { $0 == "%" }
    let given = arguments.count - 1
    guard wanted != given else { return [] }
    return [
      finding(
        .wrongKind, line, "the format needs \(wanted) values, but gets \(given)")
    ]
  }

  // MARK: Functions of the file

  private func call(
    of function: LuaTree.FunctionID, _ callee: LuaTree.ExpressionID,
    _ arguments: [LuaTree.ExpressionID], _ expression: LuaTree.Expression
  ) -> [Finding] {
    let line = expression.line
    let own = title(callee)
    let parameters = tree.functions[function].parameters.map { tree.locals[$0].name }
    if let (first, second) = swapped(arguments, parameters)
      ?? exchanged(arguments, parameters, of: function)
    {
      return [
        finding(
          .swappedParameters, line,
          "\(own) takes (\(parameters.joined(separator: ", "))): \(first) and \(second) are swapped"
        )
      ]
    }
    var found: [Finding] = []
    if let place = uncalculable(arguments, function) {
      let what = shapes.shapes[arguments[place]].kind?.title ?? "not a number"
      found.append(
        finding(
          .wrongKind, line, "\(own) needs a number for \(parameters[place]), which is \(what) here")
      )
    }
    found += missing(arguments, of: function, own, line)
    found += noState(arguments, of: function, own, line)
    if arguments.count > parameters.count, !tree.functions[function].isVariadic {
      found.append(
        finding(
          .swappedParameters, line,
          "\(own) takes \(parameters.count == 0 ? "nothing" : "(\(parameters.joined(separator: ", ")))")"
            + ": the other arguments are ignored"))
    }
    if let role = role(of: expression.function) {
      let isShared = callers.roles(of: function).contains { $0.kind == .effect }
      for word in (callers.words[function] ?? []).sorted() where isShared {
        found += misplaced(word, role, line).map { [$0] } ?? []
      }
      for place in changed.of(function).sorted() where place < arguments.count {
        if let refused = refusedWrite(arguments[place], line) { found.append(refused) }
      }
    }
    return found
  }

  /// Returns the names of two arguments that are in each other's place.
  private func swapped(
    _ arguments: [LuaTree.ExpressionID], _ parameters: [String]
  ) -> (String, String)? {
    let names = arguments.map { id -> String in
      switch tree.expressions[id].kind {
      case .local(let local): tree.locals[local].name
      case .field(_, let name): name
      default: ""
      }
    }
    for (place, argument) in arguments.enumerated() where place < parameters.count {
      let isState = shapes.shapes[argument].record?.title == "state"
      // The state is given for another parameter, and its own parameter gets something else.
      if isState, !["s", "state"].contains(parameters[place]),
        let other = parameters.firstIndex(where: { $0 == "s" || $0 == "state" }),
        other < arguments.count, shapes.shapes[arguments[other]].record?.title != "state"
      {
        return (parameters[min(place, other)], parameters[max(place, other)])
      }
      guard names[place].count > 1, names[place] != parameters[place] else { continue }
      for other in names.indices where other > place && other < parameters.count {
        if names[other] == parameters[place], names[place] == parameters[other] {
          return (parameters[place], parameters[other])
        }
      }
    }
    return nil
  }

  /// The largest number of calls of a function that are compared with each other.
  private static let mostCalls = 20

  /// Returns two arguments that have each other's kind in all other calls.
  private func exchanged(
    _ arguments: [LuaTree.ExpressionID], _ parameters: [String], of function: LuaTree.FunctionID
  ) -> (String, String)? {
    let own = arguments.map { shapes.shapes[$0].kind }
    let others = (shapes.functions.calls[function] ?? []).prefix(TreeCheck.mostCalls)
      .map(shapes.functions.arguments)
      .filter { $0 != arguments }
    let wrong = uncalculable(arguments, function)
    // If two calls contradict each other, it is not known which of them is wrong.
    guard others.count > 1 || others.count == 1 && wrong != nil else { return nil }
    for (place, kind) in own.enumerated() where place < parameters.count {
      for other in own.indices where other > place && other < parameters.count {
        guard let kind, let second = own[other], kind != second,
          others.allSatisfy({ call in
            call.count > other && shapes.shapes[call[place]].kind == second
              && shapes.shapes[call[other]].kind == kind
          })
        else { continue }
        return (parameters[place], parameters[other])
      }
    }
    return nil
  }

  /// Returns the index of an argument that is not a number although the function calculates with it.
  private func uncalculable(
    _ arguments: [LuaTree.ExpressionID], _ function: LuaTree.FunctionID
  ) -> Int? {
    let parameters = tree.functions[function].parameters
    return zip(parameters, arguments).enumerated().first { _, pair in
      guard shapes.functions.calculated.contains(pair.0) else { return false }
      switch shapes.shapes[pair.1] {
      case .value(.string): return tree.string(pair.1).flatMap(Double.init) == nil
      case .scalar(.string), .record, .list, .map, .value(.boolean), .value(.table): return true
      default: return false
      }
    }?.offset
  }

  /// Checks for a parameter that the function needs, and that the call leaves out.
  private func missing(
    _ arguments: [LuaTree.ExpressionID], of function: LuaTree.FunctionID, _ own: String,
    _ line: Int
  ) -> [Finding] {
    let missed = tree.functions[function].parameters.dropFirst(arguments.count)
    guard !missed.isEmpty, !isOpen(arguments) else { return [] }
    let needed = NeededParameters(function, in: tree).locals
    let missing = missed.first { parameter in
      needed.contains(parameter) && tree.locals[parameter].writes == 0
        && tests.names[function]?.contains(tree.locals[parameter].name) != true
    }
    guard let missing else { return unpassed(arguments, of: function, own, line) }
    return [
      finding(
        .wrongKind, line,
        "\(own) uses \(tree.locals[missing].name), which is nil here: this call leaves it out")
    ]
  }

  // MARK: Colons and dots

  private static let dotted: Set<String> = [
    "dispatch", "view", "table", "math", "string", "utf8", "may", "coroutine", "date",
  ]

  func method(
    _ member: String, of receiver: LuaTree.ExpressionID, _ arguments: [LuaTree.ExpressionID],
    _ expression: LuaTree.Expression
  ) -> [Finding] {
    let line = expression.line
    switch tree.expressions[receiver].kind {
    case .global(let word) where TreeCheck.dotted.contains(word) && !globals.contains(word):
      return [
        finding(
          .dotForColon, line,
          "\(word):\(member)(...) passes \(word) as an argument; write \(word).\(member)(...)"
        )
      ]
    case .field(let words, _):
      if case .global("gatekeeper") = tree.expressions[words].kind, member != "may_pass",
        member != "holder"
      {
        let advice = Names.suggestion(for: member, among: ["may_pass", "holder"])
        return [finding(.unknownField, line, "a gatekeeper has no \(member)\(advice)")]
      }
    default: break
    }
    if shapes.shapes[receiver].kind == .string,
      let known = LibraryWords.libraries["string"], !known.contains(member)
    {
      return [
        finding(
          .unknownGlobal, line,
          "a string has no \(member)" + Names.suggestion(for: member, among: known.sorted()))
      ]
    }
    switch shapes.shapes[receiver].present {
    case .list, .map(_, _?), .record:
      if let record = shapes.shapes[receiver].record {
        let isKnown = record.fields[member] != nil || record.written.contains(member)
        if record.isOpen || record.isConstant && isKnown { return [] }
      }
      return [
        finding(
          .unknownField, line, "\(title(receiver)) is plain data, which has no \(member)(...)")
      ]
    default: return []
    }
  }

  /// Checks for `self.fetch()` instead of `self:fetch()`.
  private func dot(
    _ table: LuaTree.ExpressionID, _ member: String, _ arguments: [LuaTree.ExpressionID],
    _ expression: LuaTree.Expression
  ) -> [Finding] {
    guard case .local(let local) = tree.expressions[table].kind,
      case .parameter(0) = tree.locals[local].origin, tree.locals[local].writes == 0,
      let role = roles[tree.locals[local].function], role.kind == .effect, member != "parent"
    else { return [] }
    if let first = arguments.first, case .local(local) = tree.expressions[first].kind { return [] }
    let own = tree.locals[local].name
    return [
      finding(
        .dotForColon, expression.line,
        "\(own).\(member)(...) does not pass \(own); write \(own):\(member)(...)")
    ]
  }
}
