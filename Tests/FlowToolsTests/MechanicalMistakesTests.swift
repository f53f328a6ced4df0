import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import FlowTools

/// Systematic mistakes in correct files, and how many of them are reported at their line.
@Suite struct MechanicalMistakesTests {
  /// A mistake: what stands in a line instead of what stood there.
  struct SeededMistake {
    let kind: String
    let line: Int
    let text: String
  }

  private static let words: Set<String> = [
    "dispatch", "pass", "refuse", "view", "expect", "string", "table", "math", "gatekeeper",
  ]

  /// The mistakes that can be made in a text.
  ///
  /// A name is not misspelt in its declaration, because the mistake would be found where the name is used.
  static func mistakes(in text: String, texts names: Set<String>) throws -> [SeededMistake] {
    let tree = try LuaTree(text)
    var lines = text.components(separatedBy: "\n")
    var found: [SeededMistake] = []
    func add(_ kind: String, _ line: Int, _ change: (String) -> String?) {
      guard line > 0, line <= lines.count, let changed = change(lines[line - 1]) else { return }
      let old = lines[line - 1]
      lines[line - 1] = changed
      found.append(SeededMistake(kind: kind, line: line, text: lines.joined(separator: "\n")))
      lines[line - 1] = old
    }
    var declared: Set<LuaTree.ExpressionID> = []
    for case .function(let place, _) in tree.statements.map(\.kind) { declared.insert(place) }
    for (number, expression) in tree.expressions.enumerated() {
      switch expression.kind {
      case .field(let table, let name) where name.count > 2 && !declared.contains(number):
        switch tree.expressions[root(table, tree)].kind {
        case .local(let local):
          if case .parameter = tree.locals[local].origin {} else { continue }
          guard ["s", "a", "it"].contains(tree.locals[local].name) else { continue }
          add("field", expression.line) { misspell(name, at: expression.column, in: $0) }
        case .global(let word) where words.contains(word):
          add("name", expression.line) { misspell(name, at: expression.column, in: $0) }
        default: continue
        }
      case .string(let text)
      where names.contains(text) && text.count > 2 && expression.function != 0:
        add("text", expression.line) { misspell(text, at: expression.column + 1, in: $0) }
      default: continue
      }
    }
    for function in tree.functions.dropFirst()
    where function.parameters.map({ tree.locals[$0].name }) == ["s", "a"] {
      add("swapped", function.line) {
        $0.contains("function") && $0.contains("(s, a)") && !$0.contains("machine")
          ? $0.replacing("(s, a)", with: "(a, s)", maxReplacements: 1) : nil
      }
    }
    for statement in tree.statements {
      guard case .return(let values) = statement.kind, !values.isEmpty,
        let last = tree.functions[statement.function].body.last,
        tree.statements[last].line == statement.line,
        tree.functions[statement.function].line < statement.line
      else { continue }
      let header = lines[tree.functions[statement.function].line - 1]
      guard header.hasPrefix("function gate.") || header.hasPrefix("function view.") else {
        continue
      }
      let line = lines[statement.line - 1]
      guard line.contains("return "), !line.contains("end") else { continue }
      lines[statement.line - 1] = "-- gone"
      found.append(
        SeededMistake(
          kind: "return", line: tree.functions[statement.function].line,
          text: lines.joined(separator: "\n")))
      lines[statement.line - 1] = line
    }
    return found
  }

  private static func root(_ id: LuaTree.ExpressionID, _ tree: LuaTree) -> LuaTree.ExpressionID {
    var id = id
    while true {
      switch tree.expressions[id].kind {
      case .field(let table, _), .index(let table, _): id = table
      default: return id
      }
    }
  }

  /// Two letters of a name exchanged.
  private static func misspell(_ name: String, at column: Int, in line: String) -> String? {
    var letters = Array(line)
    let wanted = Array(name)
    guard column > 0, column - 1 + wanted.count <= letters.count,
      Array(letters[(column - 1)..<(column - 1 + wanted.count)]) == wanted
    else { return nil }
    for place in 1..<(wanted.count - 1) where wanted[place] != wanted[place + 1] {
      letters.swapAt(column - 1 + place, column + place)
      return String(letters)
    }
    return nil
  }

  /// The lines of a flow of which something is said.
  static func lines(ofFlow text: String) -> Set<Int> {
    do {
      let loaded = try LoadedFlow(source: text, name: "f.lua")
      let (found, fault) = FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).run()
      return Set(found.map(\.fault.line)).union(fault.map(lines) ?? [])
    } catch {
      return lines(of: error)
    }
  }

  private static func lines(of error: any Error) -> Set<Int> {
    if let error = error as? FlowError { return Set(error.faults.map(\.line)) }
    return Set([(error as? ScriptError)?.line].compactMap(\.self))
  }

  static func file(_ path: String) throws -> String {
    try String(contentsOf: LuaTreeTests.root.appending(path: path), encoding: .utf8)
  }

  /// The texts that are names in a flow.
  static func names(of flow: Flow) -> Set<String> {
    var names = Set(flow.actionNames)
    for machine in flow.machines { names.formUnion(machine.chart.states.map(\.name)) }
    return names
  }

  @Test("19 of 20 systematic mistakes in flows are reported at their line")
  func flows() throws {
    var random = SeededGenerator(7)
    var (count, missed) = (0, [String]())
    for path in [
      "approval/approval", "player/player", "receipt/receipt", "elevator/elevator", "lobby/lobby",
      "counter/counter",
    ] {
      guard let text = try? MechanicalMistakesTests.file("examples/\(path).lua"),
        let loaded = try? LoadedFlow(source: text, name: "f.lua")
      else { continue }
      let names = MechanicalMistakesTests.names(of: loaded.flow)
      let before = MechanicalMistakesTests.lines(ofFlow: text)
      let all = try MechanicalMistakesTests.mistakes(in: text, texts: names)
      for mistake in all.shuffled(using: &random).prefix(25) where !before.contains(mistake.line) {
        count += 1
        if !MechanicalMistakesTests.lines(ofFlow: mistake.text).contains(mistake.line) {
          let line = mistake.text.components(separatedBy: "\n")[mistake.line - 1]
          missed.append("\(path):\(mistake.line) \(mistake.kind): \(line)")
        }
      }
    }
    #expect(count > 70)
    #expect(missed.count * 20 <= count, "\(missed.count) of \(count): \(missed)")
  }

  @Test("19 of 20 systematic mistakes in scenarios are reported at their line")
  func scenarios() throws {
    var random = SeededGenerator(8)
    var (count, missed) = (0, [String]())
    for (flow, path) in [
      ("approval/approval", "approval/approval"), ("player/player", "player/player"),
      ("receipt/receipt", "receipt/receipt"),
      ("elevator/elevator", "elevator/door"), ("lobby/lobby", "lobby/lobby"),
    ] {
      guard let source = try? MechanicalMistakesTests.file("examples/\(flow).lua"),
        let loaded = try? LoadedFlow(source: source, name: "f.lua"),
        let text = try? MechanicalMistakesTests.file("examples/\(path).scenario.lua")
      else { continue }
      let flow = FlowText(loaded)
      let names = MechanicalMistakesTests.names(of: loaded.flow)
      let all = try MechanicalMistakesTests.mistakes(in: text, texts: names)
      for mistake in all.shuffled(using: &random).prefix(25) {
        count += 1
        let found = ScenarioSource(LuaSource(name: "x", text: mistake.text)).findings(for: flow)
        if !found.contains(where: { $0.fault.line == mistake.line }) {
          let line = mistake.text.components(separatedBy: "\n")[mistake.line - 1]
          missed.append("\(path):\(mistake.line) \(mistake.kind): \(line)")
        }
      }
    }
    #expect(count > 70)
    #expect(missed.count * 20 <= count, "\(missed.count) of \(count): \(missed)")
  }
}

/// A random number generator with a fixed sequence for each seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
