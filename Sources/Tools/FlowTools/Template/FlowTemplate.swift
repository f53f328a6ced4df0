import FlowKernel
import FlowLanguage
import LuaRuntime

/// The files of a new flow: the flow, its scenarios, a README and editor settings.
package struct FlowTemplate {
  /// The kind of flow that a template shows.
  package enum Kind: String, CaseIterable, Sendable {
    /// A state, an action and an invariant.
    case blank
    /// A machine with a timer.
    case machine
    /// A durable effect with retries, and a deadline of days.
    case durable
    /// A game of several players in turn.
    case game

    fileprivate var flow: [UInt8] {
      switch self {
      case .blank: PackageResources.blank_lua
      case .machine: PackageResources.machine_lua
      case .durable: PackageResources.durable_lua
      case .game: PackageResources.game_lua
      }
    }

    fileprivate var scenarios: [UInt8] {
      switch self {
      case .blank: PackageResources.blank_scenario_lua
      case .machine: PackageResources.machine_scenario_lua
      case .durable: PackageResources.durable_scenario_lua
      case .game: PackageResources.game_scenario_lua
      }
    }
  }

  /// The files, by their paths in the new folder.
  package let files: [EditorFiles.File]

  /// Makes the files of a flow of that name.
  ///
  /// - Throws: `FlowError` or `ScriptError`, which would be a bug in the template.
  package init(name: String, kind: Kind = .machine) throws {
    // A machine is a field of the state, so it cannot have the name of another one.
    let neutral = FlowTemplate.text(kind.flow, FlowTemplate.words(for: "", machine: "a_machine"))
    let fields = Set(try LoadedFlow(source: neutral, name: "template.lua").flow.fields.map(\.name))
    let words = FlowTemplate.words(for: name, machine: FlowTemplate.machine(for: name, fields))
    func text(_ template: [UInt8]) -> String { FlowTemplate.text(template, words) }
    func file(_ path: String, _ text: String) -> EditorFiles.File {
      EditorFiles.File(path: path, text: text, isUsers: true)
    }
    let flow = text(kind.flow)
    let loaded = try LoadedFlow(source: flow, name: "\(name).lua")
    files =
      [
        file("\(name).lua", flow),
        file("\(name).scenario.lua", text(kind.scenarios)),
        file("README.md", text(PackageResources.readme_md)),
      ] + (try EditorFiles([FlowText(loaded)]).files)
  }

  private static func text(_ template: [UInt8], _ words: [(key: String, value: String)]) -> String {
    words.reduce(String(decoding: template, as: UTF8.self)) { text, word in
      text.replacing("{\(word.key)}", with: word.value)
    }
  }

  /// Returns the texts that stand for a name in templates: in prose, and as the name of a machine.
  private static func words(
    for name: String, machine: String
  ) -> [(key: String, value: String)] {
    let title = name.replacing("-", with: " ").replacing("_", with: " ")
    return [
      ("name", name), ("title", title), ("Title", title.prefix(1).uppercased() + title.dropFirst()),
      ("machine", ".\(machine)"), ("field", ".\(machine)"), ("id", machine),
    ]
  }

  /// Returns the name of a flow as that of its machine, which no other field of the state has.
  private static func machine(for name: String, _ fields: Set<String>) -> String {
    let machine = name.replacing("-", with: "_")
    return fields.contains(machine) || !Value.isName(machine) ? "the_\(machine)" : machine
  }

  /// Returns the error message for a name that a flow cannot have; nil for a valid name.
  package static func problem(with name: String) -> String? {
    let isFine =
      name.utf8.first.map { $0 != UInt8(ascii: "-") } == true
      && name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || (48...57).contains(byte)
          || (65...90).contains(byte) || (97...122).contains(byte)
      }
    return isFine
      ? nil : "a flow's name has letters, digits, _ and - only, and does not begin with -"
  }
}
