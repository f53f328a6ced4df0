import FlowKernel
import FlowLanguage
import LuaRuntime

extension Session {
  /// Returns the value of an expression as text that can be pasted back.
  func show(_ expression: String) throws -> String {
    if hides(expression) { return "\(Secrets.dots)" }
    return try ask("session_show", [.string(expression), .string(input)]).first?.stringValue ?? ""
  }

  // MARK: Actions

  func actions() -> String {
    let actions = engine.flow.actions.sorted { $0.name < $1.name }
    if actions.isEmpty { return "there are no actions" }
    let calls = actions.map { ActionText.call($0, as: callee(of: $0)) }
    let column = min(calls.map(\.count).max() ?? 0, 44)
    let indent = column + 2 <= settings.width * 2 / 3 ? column + 2 : 4
    var lines: [Verdict: [String]] = [:]
    for (action, call) in zip(actions, calls) {
      let gap = String(repeating: " ", count: max(0, column - call.count) + 2)
      let (verdict, text) = verdict(of: action)
      lines[verdict, default: []].append(
        (call + gap + text).wrapped(to: settings.width, indent: indent))
    }
    return Verdict.allCases.flatMap { lines[$0] ?? [] }.joined(separator: "\n")
  }

  /// The verdicts on an action, in the order in which they are listed.
  private enum Verdict: CaseIterable {
    case mayPass, depends, mayNot
  }

  /// Returns whether the action would pass now, tried with a sample payload.
  private func verdict(of action: Action) -> (Verdict, String) {
    guard let payload = ActionText.sample(of: action) else {
      if let refusal = engine.refusalOfAnyPayload(action.name) {
        return (.mayNot, self.text(of: refusal))
      }
      let why = "depends on its payload (:why \(ActionText.argument(action.name)) { ... })"
      return (.depends, style.quiet(why))
    }
    let tried = action.takesNothing ? "" : style.quiet(" (with \(action.payload.hiding(payload)))")
    switch engine.may(action.name, payload) {
    case .granted: return (.mayPass, style.added("may pass") + tried)
    case .refused(let refusal): return (.mayNot, self.text(of: refusal) + tried)
    case .failed(let failure):
      return (.mayNot, style.removed("would fail: \(failure.summary)") + tried)
    }
  }

  // MARK: Why

  func why(_ text: String) throws -> String {
    guard !text.isEmpty else { throw CommandError(":why takes an action: :why NAME { ... }") }
    if text.hasPrefix("#"), let revision = Int(text.dropFirst()) { return try why(revision) }
    let (name, rest) = split(text)
    var payload: Value = [:]
    var note = ""
    if !rest.isEmpty {
      payload = try ask("session_value", [.string(rest), .string(input)]).first ?? [:]
    } else if let action = engine.flow.action(named: name), !action.takesNothing,
      let sample = ActionText.sample(of: action)
    {
      payload = sample
      note = style.quiet("with \(action.payload.hiding(sample)), since no payload was given") + "\n"
    }
    let explanation = engine.explain(name, payload)
    let lines = explanation.decisions.map { line(for: $0) }
    let verdict: String
    if let first = explanation.decisions.first(where: { $0.verdict != .agrees }) {
      let outcome: String
      switch engine.may(name, payload) {
      case .granted: outcome = "\(first.by) does not agree"
      case .refused(let refusal): outcome = self.text(of: refusal)
      case .failed(let failure): outcome = "it would fail: \(failure.summary)"
      }
      verdict = outcome
    } else {
      verdict = style.added("\(name) may pass")
    }
    let rule = explanation.ruleOfMachines.map { [style.quiet("    \($0)")] } ?? []
    return note + (lines + rule + [verdict]).joined(separator: "\n")
  }

  /// Splits an action and its payload behind a command; a name of several words needs no quotes.
  private func split(_ text: String) -> (name: String, payload: String) {
    let longest = actionNames.filter { name in
      text.hasPrefix(name)
        && text.dropFirst(name.count).first.map { !$0.isLetter && !$0.isNumber && $0 != "_" }
          != false
    }.max { $0.count < $1.count }
    guard let longest else { return ActionText.split(text) }
    return (longest, ActionText.split("_" + text.dropFirst(longest.count)).payload)
  }

  private func line(for decision: Explanation.Decision) -> String {
    let place = decision.place.map { style.quiet("  [\($0)]") } ?? ""
    let what: String
    switch decision.verdict {
    case .agrees: what = style.added("agrees") + (decision.note.map { " (\($0))" } ?? "")
    case .refuses(let reason): what = style.warning("refuses") + (reason.map { ": \($0)" } ?? "")
    case .fails(let message): what = style.removed("fails") + ": \(message)"
    case .notAsked: what = style.quiet("is not evaluated: it needs a payload that fits")
    }
    var text = "  \(decision.by) \(what)\(place)"
    for region in decision.regions { text += "\n      \(region)" }
    if let rule = decision.rule { text += "\n      " + style.quiet(rule) }
    if case .refuses = decision.verdict { text += excerpt(of: decision) }
    return text
  }

  /// Returns the source of a rule that refuses, if it is short.
  private func excerpt(of decision: Explanation.Decision) -> String {
    guard let place = decision.place, let last = decision.lastLine, last >= place.line,
      last - place.line < 8
    else { return "" }
    let lines = text.lines(of: place.file)
    guard lines.indices.contains(last - 1) else { return "" }
    return (place.line...last).map { "\n      " + style.quiet("\($0) | \(lines[$0 - 1])") }.joined()
  }

  // MARK: Views, machines and scopes

  func views() -> String {
    let views = engine.flow.views.map(\.function.name).sorted()
    if views.isEmpty { return "there are no views" }
    return views.map { name in
      do throws(ViewError) {
        return "\(name) = \(try engine.view(name).text(limit: 400))"
      } catch {
        return "\(name) has no value: \(error)"
      }
    }.joined(separator: "\n")
  }

  func machines() -> String {
    let machines = engine.machineStatus
    if machines.isEmpty { return "there are no machines" }
    return machines.map(text).joined(separator: "\n")
  }

  /// Returns the status of one machine by its name, or of one record's by its name and keys: `stage["ann"]`.
  func machine(_ text: String) throws -> String {
    let isNamed = engine.flow.machines.contains { $0.name == text }
    guard !isNamed, let path = StatePath(parsing: text),
      let name = path.keys.first?.value.stringValue
    else { return self.text(of: try engine.machineStatus(named: text, keys: [])) }
    let keys = path.keys.dropFirst().map(\.value)
    return self.text(of: try engine.machineStatus(named: name, keys: keys))
  }

  private func text(of machine: Engine.MachineStatus) -> String {
    if !machine.tree.isEmpty { return tree(machine.tree) }
    var lines = ["\(machine.name): \(style.heading(machine.current))"]
    for transition in machine.transitions {
      lines.append("  \(transition.action) -> " + transition.targets.joined(separator: " or "))
    }
    if machine.isFinal { lines.append("  this state is final") }
    let others = machine.states.filter { $0 != machine.current }
    lines.append(style.quiet("  other states: \(others.joined(separator: ", "))"))
    return lines.joined(separator: "\n")
  }

  /// Returns the active states of each region as a tree, with the possible actions below, and the states that list
  /// them.
  private func tree(_ lines: [Engine.TreeLine]) -> String {
    func plain(_ line: Engine.TreeLine) -> String {
      String(repeating: "  ", count: line.depth) + line.text
        + (line.due.map { " in \(TimeLength.text($0))" } ?? "")
    }
    let column = lines.filter { $0.from != nil }.map { plain($0).count }.max() ?? 0
    return lines.map { line in
      if let heading = line.heading {
        let indent = String(repeating: "  ", count: line.depth)
        return indent + heading + ":" + (line.text.isEmpty ? "" : " \(style.heading(line.text))")
      }
      guard let from = line.from else { return plain(line) }
      let gap = String(repeating: " ", count: column - plain(line).count + 6)
      return plain(line) + gap + style.quiet("from \(from)")
    }.joined(separator: "\n")
  }

  func gatekeepers() -> String {
    let gatekeepers = engine.gatekeeperStatus
    if gatekeepers.isEmpty { return "there are no gatekeepers" }
    return gatekeepers.map { gatekeeper in
      if gatekeeper.held.isEmpty {
        let options = gatekeeper.options.joined(separator: ", ")
        return "\(gatekeeper.name): free" + (options.isEmpty ? "" : style.quiet(" (\(options))"))
      }
      return gatekeeper.held.map { passage in
        let what = passage.option.map { "\"\($0)\" is held" } ?? "held"
        return
          "\(gatekeeper.name): \(style.warning(what)) since \(passage.action) (#\(passage.revision), "
          + "at \(TimeLength.text(passage.time)))"
      }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  func scopes() -> String {
    let scopes = engine.scopeStatus
    func lines(below parent: String?, _ depth: Int) -> [String] {
      scopes.filter { $0.parent == parent }.flatMap { scope in
        [String(repeating: "  ", count: depth) + line(for: scope)]
          + lines(below: scope.name, depth + 1)
      }
    }
    return lines(below: nil, 0).joined(separator: "\n")
  }

  private func line(for scope: Engine.ScopeStatus) -> String {
    let actions =
      scope.actions.isEmpty ? "" : style.quiet(" (\(scope.actions.joined(separator: ", ")))")
    if scope.isOpen {
      let key = scope.key.map { ", its key is \($0.text(limit: 60))" } ?? ""
      return "\(scope.name): \(style.added("open"))\(key)\(actions)"
    }
    let wanting = scope.wanting ?? scope.name
    let why = wanting == scope.name ? "its key is missing" : "the key of \(wanting) is missing"
    return "\(scope.name): \(style.warning("locked")), \(why)\(actions)"
      + style.quiet("  [\(scope.place)]")
  }

  func timers() -> String {
    let pendingWork = engine.pendingWork
    var lines = pendingWork.compactMap { item -> String? in
      guard item.kind != .queued else { return "\(item.call), queued by #\(item.cause)" }
      if let state = item.postponedIn {
        return "when \(state) is left: \(item.call), postponed by #\(item.cause)"
      }
      return item.dueSeconds.map {
        "at \(TimeLength.text($0)) (in \(TimeLength.text($0 - engine.seconds))): \(when(item))"
      }
    }
    lines += pendingWork.filter { $0.kind == .effect }.map { "\($0.call) waits (#\($0.cause))" }
    lines += engine.refusedTimerSentences
    lines.append(style.quiet("it is \(TimeLength.text(engine.seconds)) by the \(clockName) clock"))
    return lines.joined(separator: "\n")
  }

  private func when(_ item: PendingWork) -> String {
    if item.kind == .effect { return "\(item.call) wakes" }
    return item.cause == 0
      ? "\(item.call), set at the start" : "\(item.call), set by #\(item.cause)"
  }

  var clockName: String { clock.isReal ? "real" : "virtual" }
}
