import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A writer of played steps as a scenario.
///
/// It writes the dispatches, the refusals with their reasons, and the changes of each step as an expectation.
package struct ScenarioWriter {
  private let engine: Engine
  private let steps: [PlayedSteps.Entry]
  /// The capabilities that had no answer; a scenario must stub them all the same.
  package var unanswered: [String] = []
  /// The title of the scenario.
  package var title = "what was played"
  /// True if the file says that it was played at the prompt.
  package var isPlayed = true

  /// The initial situation, if the flow may not begin with it by itself.
  package var beginning: CaseBeginning?
  /// The state before the first step, if it is known.
  package var stateAtFirst: Value?
  /// The secret values, which are written as dots.
  package var hidden: Secrets?

  /// The first line of a file that may be overwritten.
  package static let firstLine = "-- Played at the prompt."

  /// Makes a writer of steps for the engine that has played them.
  package init(_ engine: Engine, _ steps: [PlayedSteps.Entry]) {
    (self.engine, self.steps) = (engine, steps)
  }

  package func text(flow: String) throws -> String {
    var state = try stateAtFirst ?? stateBefore()
    var lines = given(state)
    lines += unanswered.compactMap { name in
      let parts = name.split(separator: ".", maxSplits: 1)
      let message = "scope \(parts.first ?? "") has no \(parts.last ?? "")"
      // A stub that raises would be a failed capability, which `on_error` receives.
      if steps.contains(where: { $0.faults.contains { $0.message == message } }) { return nil }
      return "stub(\"\(name)\", function() error(\"\(message)\", 0) end)"
    }
    for entry in steps {
      lines += write(entry, &state) + faults(of: entry) + whatIsMissing(after: entry)
    }
    if lines.isEmpty { lines = ["-- nothing was played"] }
    let body = lines.map { "  " + $0 }.joined(separator: "\n")
    return (isPlayed ? ScenarioWriter.firstLine + "\n" : "") + """
      flow \(Value.quoted(flow, limit: .max))

      scenario(\(Value.quoted(title, limit: .max)), function()
      \(body)
      end)

      """
  }

  /// Returns the state before the first step, even if the history does not reach back that far.
  private func stateBefore() throws -> Value {
    var state = try engine.state()
    for commit in steps.reversed().flatMap({ $0.commits.reversed() })
    where commit.revision <= engine.revision {
      state.revert(commit.writes.changes)
    }
    return state
  }

  /// Returns the lines for the differences from the flow's initial state.
  private func given(_ state: Value) -> [String] {
    var lines: [String] = []
    if hidden != nil {
      lines.append("-- Secret values are written as dots: replace them by the values.")
    }
    guard let beginning else { return lines }
    if let born = beginning.born {
      let time = WallTime.exact(born).replacing(".000000Z", with: "Z")
      lines.append(line(of: .born(time)))
    }
    lines += beginning.notes.map { "-- \($0)" }
    let (fields, fresh) = (state.recordValue ?? [:], beginning.fresh.recordValue ?? [:])
    let given = Set(fields.keys).union(fresh.keys).filter { fields[$0] != fresh[$0] }
    if !given.isEmpty {
      let part = given.map { ($0, fields[$0] ?? .nil) }
      lines.append(line(of: .state(.record(Dictionary(uniqueKeysWithValues: part)))))
    }
    for (gatekeeper, options) in beginning.held.sorted(by: { $0.key < $1.key }) {
      lines.append(
        line(of: .gatekeeper(gatekeeper, options: options.isEmpty ? ["held"] : options)))
    }
    return lines
  }

  private func line(of given: Transcript.Given) -> String {
    switch given {
    case .state(let part):
      let fields = (part.recordValue ?? [:]).sorted { $0.key < $1.key }.map { name, value in
        let value = shown(value, at: StatePath([.field(name)]))
        return "\(Value.key(name)) = \(value.isNil ? "none" : value.source)"
      }
      return "given { \(fields.joined(separator: ", ")) }"
    case .gatekeeper(let name, let options):
      let what =
        switch options {
        case []: "(\"free\")"
        case ["held"]: "(\"held\")"
        default:
          " { " + options.map { Value.quoted($0, limit: .max) }.joined(separator: ", ") + " }"
        }
      return "given.gatekeeper\(ScenarioWriter.member(name))\(what)"
    case .random(let draws):
      return "given.random { " + draws.map(\.source).joined(separator: ", ") + " }"
    case .born(let time): return "given.born(\(Value.quoted(time, limit: .max)))"
    }
  }

  private func shown(_ value: Value, at path: StatePath) -> Value {
    hidden?.hiding(value, at: path) ?? value
  }

  private func write(_ entry: PlayedSteps.Entry, _ state: inout Value) -> [String] {
    switch entry.step {
    case .given(let given): return [line(of: given)]
    case .stub(let name, let source):
      let isFunction = source.hasPrefix("function")
      return [
        "stub(\"\(name)\", " + (isFunction ? source : "function() return \(source) end") + ")"
      ]
    case .advance(let microseconds, let followed):
      let seconds = Double(microseconds) / 1_000_000
      return ["advance(\(Value.text(of: seconds)))"]
        + expectation(followed.filter { $0.revision <= entry.cut ?? .max }, &state)
    case .dispatch(let action, let payload, let outcome, let all):
      let followed = all.filter { $0.revision <= entry.cut ?? .max }
      let call = ScenarioWriter.call(action, hidden?.hiding(payload, of: action) ?? payload)
      let isInternal = engine.flow.action(named: action)?.isInternal == true
      switch outcome {
      case .refused(let refusal) where isInternal && refusal.rejectedBy != .internal:
        return ["-- from inside, \(action) was \(refusal)"]
      case .passed(let commit):
        let change = leaves(of: [commit], &state)
        let verb = isInternal ? "inside" : "pass"
        var line = "\(verb)\(call)"
        if let by = commit.dispatchedBy {
          line = "as(\(Value.quoted(by, limit: .max)), function() \(line) end)"
        }
        return [line, "expect.change {\(change)}", "settle()"]
          + expectation(followed, &state)
      case .refused(let refusal):
        var line = "refuse\(call):by(\(Value.quoted(refusal.rejectedBy.description, limit: .max)))"
        if let reason = refusal.reason {
          line += ":because(\(Value.quoted(reason, limit: .max)))"
        }
        return [line]
      case .failed(let failure):
        return ["fail\(call):by(\"\(failure.kind.rawValue)\")"]
      }
    }
  }

  /// Returns the expectations of failed effects.
  private func faults(of entry: PlayedSteps.Entry) -> [String] {
    entry.faults.map { fault in
      let message = fault.message.prefix { !$0.isNewline }
      return "expect.fault\(ScenarioWriter.member(fault.effect))"
        + "(\(Value.quoted(String(message), limit: .max)))"
    }
  }

  /// Returns a comment if a part of a step was undone, which no scenario can do.
  private func whatIsMissing(after entry: PlayedSteps.Entry) -> [String] {
    guard let cut = entry.cut else { return [] }
    let undone = entry.commits.filter { $0.revision > cut }
      .map { "#\($0.revision) \($0.action)" }.joined(separator: ", ")
    let message = "at the prompt, only \(undone) was undone here; a scenario cannot do that"
    return ["error(\(Value.quoted(message, limit: .max)), 0)"]
  }

  /// Returns the expectation of the joint changes of the queued actions.
  private func expectation(_ followed: [Commit], _ state: inout Value) -> [String] {
    guard !followed.isEmpty else { return [] }
    let names = followed.map { "\($0.action)" }.joined(separator: ", ")
    let changes = leaves(of: followed, &state)
    return ["-- followed by \(names)"] + (changes.isEmpty ? [] : ["expect {\(changes)}"])
  }

  /// Returns the leaves that commits have changed together, as the content of a table.
  private func leaves(of commits: [Commit], _ state: inout Value) -> String {
    var new = state
    for commit in commits { new.apply(commit.writes.changes) }
    defer { state = new }
    let leaves = state.leaves(changedTo: new).filter { !$0.isReplaced(in: new) }.map(leaf)
    return leaves.isEmpty ? "" : " " + leaves.joined(separator: ", ") + " "
  }

  private func leaf(_ change: LeafChange) -> String {
    let new = shown(change.new, at: change.path)
    let value = new.isNil ? "none" : new.description
    return "\(Value.key(Self.name(of: change.path))) = \(value)"
  }

  /// Returns a path as an expectation names it: a single field as itself, if it cannot be read as a longer path.
  private static func name(of path: StatePath) -> String {
    guard path.keys.count == 1, case .field(let name)? = path.keys.first,
      StatePath(parsing: name) == nil
    else { return path.description }
    return name
  }

  /// Returns a call: `.coin { amount = 1 }`, `["T02 Check"]()`.
  private static func call(_ action: String, _ payload: Value) -> String {
    let name = member(action)
    if payload == [:] || payload == .list([]) || payload.isNil { return name + "()" }
    let source = payload.source
    return source.hasPrefix("{") ? "\(name) \(source)" : "\(name)(\(source))"
  }

  private static func member(_ name: String) -> String {
    Value.isName(name) ? ".\(name)" : "[\(Value.quoted(name, limit: .max))]"
  }

  /// Returns the path to a file relative to another file's folder.
  package static func path(of file: URL, from other: URL) -> String {
    let here = other.deletingLastPathComponent().standardizedFileURL.resolvingSymlinksInPath()
      .pathComponents
    let there = file.standardizedFileURL.resolvingSymlinksInPath().pathComponents
    let common = zip(here, there).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: here.count - common)
    return (up + there.dropFirst(common)).joined(separator: "/")
  }
}

extension LeafChange {
  /// Returns true if a table has replaced the leaf, or a leaf its table: then that change is written instead.
  fileprivate func isReplaced(in state: Value) -> Bool {
    if !new.isNil { return false }
    var place = path
    while !place.keys.isEmpty {
      if let found = state.value(at: place), !found.isNil {
        return place == path || !found.isTable
      }
      place.keys.removeLast()
    }
    return false
  }
}

extension Value {
  fileprivate var isTable: Bool {
    switch self {
    case .list, .record, .map: true
    default: false
    }
  }
}
