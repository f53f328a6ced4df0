import FlowKernel
import FlowLanguage
import LuaRuntime

/// The obstacles to an exploration: actions without finite payloads, and effects whose answers are unknown.
///
/// The error includes the beginning of an exploration file that would supply them.
struct UnknownPayloads {
  private struct MissingPayload {
    let place: SourcePlace
    let sentence: String
    /// The kind in a message such as `action edit`; several names may share a message.
    let kind: String
    var names: [String]
  }

  private let flow: LoadedFlow
  private let isSaid: Bool
  private var lacks: [MissingPayload] = []
  private var actions: [(name: String, missing: Payloads.Missing)] = []
  private var effects: [(name: String, answers: [String])] = []

  /// Creates an empty list.
  ///
  /// - Parameter isSaid: true if an exploration file is in use already.
  init(_ flow: LoadedFlow, isSaid: Bool) { (self.flow, self.isSaid) = (flow, isSaid) }

  mutating func add(_ missing: Payloads.Missing, of action: Action) {
    add(action.name, "action", missing.sentence, at: action.place)
    actions.append((action.name, missing))
  }

  /// Adds an action that follows an effect.
  mutating func add(_ missing: Payloads.Missing, of action: Action, after effect: Effect) {
    add(
      effect.title, "", "dispatches \(action.name): \(missing.sentence)", at: effect.function.place)
    add(
      "{ \(Value.quoted(action.name, limit: .max))\(UnknownPayloads.fields(missing)) }", to: effect)
  }

  /// Adds an effect whose source does not name the action that it dispatches.
  mutating func add(unclear effect: Effect) {
    add(
      effect.title, "", "dispatches an action whose name is not in its source",
      at: effect.function.place)
    add("\"ACTION\"", to: effect)
  }

  private mutating func add(
    _ name: String, _ kind: String, _ sentence: String, at place: SourcePlace
  ) {
    let same = lacks.firstIndex { $0.kind == kind && $0.sentence == sentence && !kind.isEmpty }
    if let same { return lacks[same].names.append(name) }
    lacks.append(MissingPayload(place: place, sentence: sentence, kind: kind, names: [name]))
  }

  private mutating func add(_ answer: String, to effect: Effect) {
    let name = effect.state ?? effect.function.name
    if let index = effects.firstIndex(where: { $0.name == name }) {
      effects[index].answers.append(answer)
    } else {
      effects.append((name, [answer]))
    }
  }

  /// The error with all obstacles and advice; nil if there are none.
  var error: ExplorationError? {
    if lacks.isEmpty { return nil }
    var lines = lacks.map(line)
    lines.append(
      "Not every payload can be tried. Give the types bounds (integer { min = 0, max = 3 }) or samples "
        + "(string { samples = { \"ann\" } }), or list values"
        + (isSaid ? ":" : " in a file \(name).explore.lua:"))
    lines += example
    return ExplorationError(.setup, lines.joined(separator: "\n"))
  }

  private func line(_ lack: MissingPayload) -> String {
    let names = lack.names
    let who: String
    if names.count == 1 {
      who = lack.kind.isEmpty ? "\(names[0]) " : "\(lack.kind) \(names[0]): "
    } else if names.count <= 4 {
      who =
        "\(lack.kind)s \(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]): "
    } else {
      who =
        "\(names.count) \(lack.kind)s (\(names.prefix(3).joined(separator: ", ")) and others): "
    }
    return "\(lack.place): \(who)\(lack.sentence)"
  }

  private var name: String {
    FlowFile.stem(of: flow.texts.first?.name ?? "NAME.lua")
  }

  // MARK: Example of a file

  private static let most = 8

  private var example: [String] {
    var lines: [String] = []
    func add(_ title: String, _ entries: [String]) {
      if entries.isEmpty { return }
      lines.append("  \(title) = {")
      lines += entries.prefix(UnknownPayloads.most).map { "    \($0)," }
      if entries.count > UnknownPayloads.most {
        lines.append("    -- and \(entries.count - UnknownPayloads.most) more")
      }
      lines.append("  },")
    }
    add(
      "actions",
      actions.map { "\(UnknownPayloads.key($0.name)) = {\(UnknownPayloads.lists($0.missing)) }" })
    add(
      "effects",
      effects.map {
        "\(UnknownPayloads.key($0.name)) = { \($0.answers.joined(separator: ", ")) }"
      })
    if isSaid { return lines }
    return ["flow \"\(name).lua\"", "explore(\"all\", {"] + lines + ["})"]
  }

  private static func key(_ name: String) -> String {
    Value.isName(name) ? name : "[\(Value.quoted(name, limit: .max))]"
  }

  private static func outermost(_ missing: Payloads.Missing) -> [String] {
    var names: [String] = []
    for gap in missing.gaps {
      let name = gap.field.prefix { $0 != "." }.description
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    return names
  }

  private static func lists(_ missing: Payloads.Missing) -> String {
    let names = outermost(missing)
    if names.isEmpty { return " { ... }" }
    return " " + names.map { "\(key($0)) = { ... }" }.joined(separator: ", ")
  }

  private static func fields(_ missing: Payloads.Missing) -> String {
    outermost(missing).map { ", \(key($0)) = ..." }.joined()
  }
}
