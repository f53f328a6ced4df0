import FlowLanguage
import LuaRuntime
import Platform

/// The options of a `command` capability, as its host file has them.
struct CommandOptions: Sendable {
  /// The absolute path of the program; its name if it was not looked up.
  let program: String
  let arguments: [ArgumentTemplate]
  /// The command as it was loaded.
  let loadedWords: [String]
  /// The whole environment of the program.
  let environment: [String: String]
  /// The longest time that a run takes, in seconds.
  let timeout: Double
  /// The most runs of a node at once.
  let atOnce: Int
  /// The greatest size of standard output, in bytes.
  let mostBytes: Int

  /// The time between the signals SIGTERM and SIGKILL, in seconds.
  static let grace = 5.0
  /// The variables that the program gets from the server.
  private static let inherited = ["PATH", "LANG"]
  private static let longestSummary = 100

  /// Reads the prelude's description.
  ///
  /// The program is looked up, unless names stand in place of the texts that the file reads.
  ///
  /// - Parameter faults: gets each fault that the prelude has not found.
  init?(_ entry: Value, _ texts: HostTexts, faults: inout [String]) {
    let words = (entry["words"]?.listValue ?? []).compactMap(\.stringValue)
    guard let program = words.first else { return nil }
    loadedWords = words
    var arguments: [ArgumentTemplate] = []
    for word in words.dropFirst() {
      do {
        arguments.append(try ArgumentTemplate(word))
      } catch {
        faults.append(error.description)
      }
    }
    self.arguments = arguments
    self.program = CommandOptions.program(program, texts, &faults)
    var environment: [String: String] = [:]
    for name in CommandOptions.inherited { environment[name] = texts.inherited(name) }
    for (name, text) in entry["environment"]?.recordValue ?? [:] {
      environment[name] = text.stringValue
    }
    self.environment = environment
    timeout = entry["seconds"]?.doubleValue ?? 60
    atOnce = entry["at_once"]?.integerValue ?? 4
    mostBytes = entry["max"]?.integerValue ?? 1 << 20
  }

  private static func program(
    _ name: String, _ texts: HostTexts, _ faults: inout [String]
  ) -> String {
    if name.utf8.contains(UInt8(ascii: "{")) {
      faults.append("the program has no placeholders: the host file alone says which one runs")
      return name
    }
    if texts.areNames { return name }
    do throws(CallFault) {
      return try ProgramLookup.path(of: name, in: texts.inherited("PATH"), folder: texts.folder)
    } catch {
      faults.append(error.description)
      return name
    }
  }

  /// Returns the faults of the placeholders.
  ///
  /// - Parameters:
  ///   - names: the names of the arguments; nil if a call may have any.
  ///   - isRoot: true if the capability belongs to root, which has no key.
  func placeholderFaults(arguments names: [String]?, isRoot: Bool) -> [String] {
    HostCall.faults(
      ofPlaceholders: arguments.flatMap(\.placeholders), in: "the command", arguments: names,
      isRoot: isRoot)
  }

  /// Returns the command in a line, such as `df --output=avail -- {path}`.
  ///
  /// - Parameter texts: the texts that it does not show.
  func summary(_ texts: HostTexts) -> String {
    let words = loadedWords.map { word -> String in
      let isPlain = !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
      return isPlain ? word : JSONText.text(.string(word))
    }
    let line = texts.hiding(words.joined(separator: " "))
    let short = line.prefix(bytes: CommandOptions.longestSummary)
    return short.utf8.count < line.utf8.count ? "\(short)…" : line
  }

  // MARK: Calls

  /// Returns the run of a call.
  ///
  /// - Throws: an error for arguments that cannot be given to the program.
  func request(for call: HostCall) throws(CallFault) -> CommandTaskRequest {
    var filled: [String] = []
    var isOperand = false
    for argument in arguments {
      filled.append(try argument.filled(with: call, isOperand: isOperand))
      isOperand = isOperand || argument.endsOptions
    }
    let fields = Dictionary(
      call.arguments.filter { !$0.value.isNil }.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
    let input: Value = [
      "args": .record(fields), "call": .string(call.id), "case": .string(call.caseID),
    ]
    return CommandTaskRequest(
      program: program, arguments: filled, environment: environment,
      input: Array(try WireJSON.text(input).utf8), timeout: timeout, mostBytes: mostBytes)
  }

  /// Throws an error for arguments that cannot be given to the program.
  func expectSendable(_ arguments: [HostCall.Argument]) throws(CallFault) {
    _ = try request(for: HostCall.trial(arguments))
  }
}
