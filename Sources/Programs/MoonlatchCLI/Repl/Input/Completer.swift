import FlowLanguage
import LuaRuntime
import Platform

/// The completion of inputs: commands, actions, payload fields, the state, views, Lua's names, files.
///
/// It runs no code of the flow or of the session.
struct Completer {
  let session: Session
  var width = 80

  func complete(_ text: String) -> Completion {
    if PromptCommand.isCommand(text) { return completeCommand(text) }
    if let field = PayloadPlace(text), let action = session.engine.flow.action(named: field.action)
    {
      return completion(of: field.word, fields(of: action, at: field))
    }
    let word = text.suffix(while: { $0.isLetter || $0.isNumber || "_.[]\"".contains($0) })
    return completeName(String(word))
  }

  private func completion(of word: String, _ candidates: [Candidate]) -> Completion {
    Completion(candidates, of: word, width: width)
  }

  // MARK: Commands

  private func completeCommand(_ text: String) -> Completion {
    let (name, rest) = PromptCommand.split(text)
    guard text.contains(where: \.isWhitespace), let command = PromptCommand.named(name) else {
      let all = PromptCommand.all.map {
        Candidate(text: ":" + $0.name, note: $0.summary, ending: $0.usage.isEmpty ? "" : " ")
      }
      return completion(of: ":" + name, all + [Candidate(text: ":quit", note: "leaves")])
    }
    let word = text.last?.isWhitespace == true ? "" : rest
    switch command.argument {
    case .nothing: return .none
    case .oneOf(let words): return completion(of: word, words.map { Candidate(text: $0) })
    case .file: return completeFile(word)
    case .name:
      let names = session.declaredNames + PromptCommand.all.map(\.name)
      return completion(
        of: word, (name == "source" ? session.declaredNames : names).map { Candidate(text: $0) })
    case .scope:
      return completion(
        of: word, session.engine.scopeNames.map { Candidate(text: $0, ending: ".") })
    case .task:
      let rows = (try? session.openTasks()) ?? []
      return completion(
        of: word,
        rows.map { Candidate(text: "\($0.id)", note: $0.task.capability, ending: " ") })
    case .path:
      let found = completeName("s." + rest)
      return found
    case .action:
      if let field = PayloadPlace(rest),
        let action = session.engine.flow.action(named: field.action)
      {
        return completion(of: field.word, fields(of: action, at: field))
      }
      return completion(of: word, actions)
    }
  }

  private func completeFile(_ word: String) -> Completion {
    let folder =
      word.contains("/") ? String(word[...(word.lastIndex(of: "/") ?? word.startIndex)]) : ""
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let start = word.dropFirst(folder.count)
    let files = names.sorted().filter { !$0.hasPrefix(".") || start.hasPrefix(".") }.map { name in
      let isFolder = TextFile.kind(of: folder + name) == .folder
      return Candidate(text: folder + name + (isFolder ? "/" : ""))
    }
    return completion(of: word, files)
  }

  // MARK: Names

  private var actions: [Candidate] {
    session.engine.flow.actions.filter { Value.isName($0.name) }.sorted { $0.name < $1.name }.map {
      Candidate(text: $0.name, note: ActionText.call($0), ending: $0.takesNothing ? "()" : " { ")
    }
  }

  private func completeName(_ word: String) -> Completion {
    guard let dot = word.lastIndex(of: ".") else {
      let keywords = Value.keywords.sorted().map { Candidate(text: $0) }
      let globals = members("global", []).names.map { Candidate(text: $0.text) }
      let own = [Candidate(text: "s", note: "the state")]
      let all = actions + own + globals + keywords + declarations
      return completion(of: word, all.uniqued.filter { !word.isEmpty || $0.note != nil })
    }
    let last = String(word[word.index(after: dot)...])
    guard let keys = Completer.keys(of: word[..<dot]), let first = keys.first?.stringValue else {
      return .none
    }
    let rest = Array(keys.dropFirst())
    switch first {
    case "pass", "inside", "may": return rest.isEmpty ? completion(of: last, actions) : .none
    case "view":
      let views = session.engine.flow.views.map { Candidate(text: $0.function.name, ending: "()") }
      return rest.isEmpty ? completion(of: last, views) : .none
    case "s": return completeMember(last, "s", rest)
    default: return completeMember(last, "global", keys)
    }
  }

  /// The words of the flow language, if the flow is typed.
  private var declarations: [Candidate] {
    guard session.text.isTyped else { return [] }
    return LanguageWord.all.map { Candidate(text: $0.name) }
  }

  /// Returns the members of a value, which are read without calling anything.
  ///
  /// `isCut` is true if there are more members than were visited.
  private func members(_ root: String, _ path: [Value]) -> (names: [Candidate], isCut: Bool) {
    let found = try? session.ask(
      "session_members", [.string(root), .list(path)], budget: 5_000_000)
    let names = (found?.first?.listValue ?? []).compactMap { entry in
      entry["name"]?.stringValue.map { name in
        Candidate(text: name, ending: entry["kind"] == "function" ? "(" : "")
      }
    }
    return (names.sorted { $0.text < $1.text }, found?.last == .boolean(true))
  }

  private func completeMember(_ word: String, _ root: String, _ path: [Value]) -> Completion {
    let (names, isCut) = members(root, path)
    guard isCut else { return completion(of: word, names) }
    // No common prefix is inserted, because members that were not visited may not have it.
    let fitting = names.filter { $0.text.hasPrefix(word) }.prefix(20).map { "  " + $0.text }
    return Completion(choices: (fitting + ["  and more"]).joined(separator: "\n"))
  }

  /// Returns the keys of `s.rows[1]["a b"]`; nil for any other text.
  private static func keys(of path: Substring) -> [Value]? {
    var rest = path
    var keys: [Value] = []
    while !rest.isEmpty {
      if let name = rest.firstMatch(of: /^\.?([A-Za-z_][A-Za-z0-9_]*)/) {
        keys.append(.string(String(name.1)))
        rest = rest[name.range.upperBound...]
      } else if let index = rest.firstMatch(of: /^\[([0-9]{1,18})\]/) {
        keys.append(.integer(Int(index.1) ?? 0))
        rest = rest[index.range.upperBound...]
      } else if let text = rest.firstMatch(of: /^\["([^"]*)"\]/) {
        keys.append(.string(String(text.1)))
        rest = rest[text.range.upperBound...]
      } else {
        return nil
      }
    }
    return keys
  }

  // MARK: Payloads

  private func fields(of action: Action, at place: PayloadPlace) -> [Candidate] {
    guard case .record(let fields) = action.payload else { return [] }
    if let name = place.field {
      return fields.first { $0.name == name }.map { values(of: $0.type) } ?? []
    }
    return fields.filter { !place.given.contains($0.name) && Value.isName($0.name) }.map {
      Candidate(text: $0.name, note: ActionText.type($0.type), ending: " = ")
    }
  }

  private func values(of type: PayloadType) -> [Candidate] {
    switch type {
    case .boolean: [Candidate(text: "true"), Candidate(text: "false")]
    case .oneOf(let values, _): values.map { Candidate(text: $0.description) }
    case .optional(let inner): values(of: inner)
    default:
      (type.isSecret ? [] : type.common?.samples ?? []).map { Candidate(text: $0.description) }
    }
  }
}

/// The position of the cursor in a payload: `coin { amount = 1, cu`.
struct PayloadPlace: Equatable {
  let action: String
  /// The fields that are already there.
  let given: [String]
  /// The field whose value is being typed; nil for the name of a field.
  let field: String?
  /// The typed part of the name or the value.
  let word: String

  init?(_ text: String) {
    var depth = 0
    var open: String.Index?
    for index in text.indices.reversed() {
      switch text[index] {
      case "}", ")", "]": depth += 1
      case "(", "[": depth -= 1
      case "{" where depth == 0: open = index
      case "{": depth -= 1
      default: continue
      }
      if open != nil || depth < 0 { break }
    }
    guard let open else { return nil }
    let before = text[..<open].trimmed
    guard
      let name = before.firstMatch(
        of:
          /(?:(?:pass|inside)\["([^"]*)"\]|([A-Za-z_][A-Za-z0-9_]*)|dispatch\(\s*"([^"]*)",)\s*\(?\s*$/
      )
    else { return nil }
    action = String(name.1 ?? name.2 ?? name.3 ?? "")
    let inside = text[text.index(after: open)...]
    given = inside.matches(of: /([A-Za-z_][A-Za-z0-9_]*)\s*=[^=]/).map { String($0.1) }
    let last = inside.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
    if let value = last.firstMatch(of: /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/) {
      field = String(value.1)
      word = String(value.2)
    } else {
      field = nil
      word = last.trimmed
    }
  }
}

extension [Candidate] {
  /// The first candidate of each text.
  fileprivate var uniqued: [Candidate] {
    var seen: Set<String> = []
    return filter { seen.insert($0.text).inserted }
  }
}
