import FlowLanguage
import LuaRuntime

/// A reader of the options of one exploration, which collects all faults.
struct OptionReader {
  let flow: Flow
  let file: String
  /// The name of the exploration.
  let name: String
  let lines: OptionLines
  let probe: ExplorationProbe
  private(set) var faults: [Diagnostic] = []
  var said = ExplorationSpec()

  init(
    _ flow: Flow, file: String, name: String, lines: OptionLines, probe: ExplorationProbe
  ) {
    (self.flow, self.file, self.name) = (flow, file, name)
    (self.lines, self.probe) = (lines, probe)
  }

  private static let options = [
    "actions", "given", "within", "ends", "alike", "effects", "random", "time",
  ]

  mutating func read(_ options: Value) {
    guard case .fields(let fields) = SpecOption(options) else {
      return fault(
        "the options must have names: actions, given, within and others", line: lines.line(of: []))
    }
    for (option, told) in fields.sorted(by: { $0.key < $1.key }) {
      switch option {
      case "actions": readActions(told)
      case "given": readGiven(told)
      case "within": said.within = readFunction(told, option)
      case "ends": said.ends = readFunction(told, option)
      case "alike": readAlike(told)
      case "effects": readEffects(told)
      case "random": readRandom(told)
      case "time": readTime(told)
      default:
        fault(
          "there is no option \(option)"
            + Names.suggestion(for: option, among: OptionReader.options)
            + " (it takes \(OptionReader.options.joined(separator: ", ")))", at: [option])
      }
    }
  }

  mutating func fault(_ message: String, at path: [StatePath.Key]) {
    fault(message, line: lines.line(of: path))
  }

  mutating func fault(_ message: String, at path: [String]) {
    fault(message, at: path.map { .field($0) })
  }

  mutating func fault(_ message: String, line: Int) {
    faults.append(
      Diagnostic(
        file: file, line: line,
        message: "explore \(Value.quoted(name, limit: 60)): \(message)"))
  }

  func place(of path: [StatePath.Key]) -> SourcePlace {
    SourcePlace(file: file, line: lines.line(of: path))
  }

  // MARK: Options

  private mutating func readFunction(_ told: Value, _ option: String) -> AskedFunction? {
    guard case .function(let number) = SpecOption(told) else {
      fault("\(option) must be a function: \(option) = function(s) return ... end", at: [option])
      return nil
    }
    return AskedFunction(number: number, title: option, place: place(of: [.field(option)]))
  }

  private mutating func readGiven(_ told: Value) {
    let form = "given must be a list of partial states: given = { {}, { FIELD = value } }"
    let parts: [Value]
    switch SpecOption(told) {
    case .list(let elements): parts = elements
    case .fields(let fields) where fields.isEmpty: return
    default: return fault(form, at: ["given"])
    }
    for (index, told) in parts.enumerated() {
      let path: [StatePath.Key] = [.field("given"), .index(index + 1)]
      guard case .fields = SpecOption(told) else {
        fault(form, at: path)
        continue
      }
      do throws(SpecOption.NotPlain) {
        let part = try SpecOption.plain(told)
        if let problem = probe.fault(given: part) {
          fault("given does not fit: \(problem)", at: path)
        }
        said.givens.append(.init(part: part, place: place(of: path)))
      } catch {
        fault("given contains \(error.what); a state contains plain data", at: path)
      }
    }
  }

  private mutating func readRandom(_ told: Value) {
    guard case .list(let numbers) = SpecOption(told) else {
      return fault("random must list results of random(): random = { 0, 0.5 }", at: ["random"])
    }
    for (index, number) in numbers.enumerated() {
      let unit: Double? =
        switch number {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
      guard let unit, (0..<1).contains(unit) else {
        fault(
          "random() returns numbers from 0 to less than 1, not \(number.text(limit: 40))",
          at: [.field("random"), .index(index + 1)])
        continue
      }
      said.units.append(unit)
    }
  }

  private mutating func readTime(_ told: Value) {
    guard case .fields(let fields) = SpecOption(told) else {
      return fault("time takes up_to and step, in seconds: time = { up_to = 60 }", at: ["time"])
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard ["up_to", "step"].contains(name) else {
        fault(
          "time has no \(name)" + Names.suggestion(for: name, among: ["up_to", "step"]),
          at: ["time", name])
        continue
      }
      guard let seconds = value.doubleValue, seconds > 0, seconds < 1e9 else {
        fault("time.\(name) must be a number of seconds above 0", at: ["time", name])
        continue
      }
      let microseconds = max(1, Int((seconds * 1_000_000).rounded()))
      if name == "step" {
        said.clock.step = microseconds
      } else {
        said.clock.upTo = microseconds
      }
    }
  }
}
