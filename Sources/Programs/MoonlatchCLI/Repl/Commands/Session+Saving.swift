import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Platform
import SharedCommands

/// The commands `:save` and `:load`, for the session as a scenario or a transcript, and for a typed flow as a file.
extension Session {
  // MARK: Saving

  func save(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw CommandError(
        ":save takes a file: NAME.scenario.lua, NAME.jsonl" + (text.isTyped ? ", NAME.lua" : ""))
    }
    try expectNotKept(
      "only the session can be saved (\"moonlatch journal scenario\" writes the whole case)")
    try mustBeOwn()
    if path.hasSuffix(".scenario.lua") { return try saveScenario(path) }
    if path.hasSuffix(".jsonl") {
      try write(engine.observers.transcript?.text ?? "", to: path, over: OwnFile.isTranscript)
      return "saved the transcript; :load \(path) plays it" + noteOnSecrets
    }
    guard path.hasSuffix(".lua") else {
      throw CommandError("\(path) must be NAME.scenario.lua, NAME.jsonl or NAME.lua")
    }
    return try saveFlow(path)
  }

  private func saveScenario(_ path: String) throws -> String {
    guard let file = text.file else {
      throw CommandError("the flow that was typed has no file yet: :save NAME.lua first")
    }
    guard !played.isCutOff else {
      throw CommandError(
        "the changes of this session need more than \(Limits().retained >> 20) MB, and were not stored for a scenario; :save NAME.jsonl "
          + "saves the inputs")
    }
    var writer = ScenarioWriter(engine, played.entries)
    writer.unanswered = unanswered
    let flow = ScenarioWriter.path(of: file, from: URL(filePath: path))
    try write(try writer.text(flow: flow), to: path, over: OwnFile.isScenario)
    return "saved \(path)\(noteOnSecrets)\n" + (try runScenarios(path))
  }

  /// A note that saved secrets are not hidden, because a file that is read back needs them.
  private var noteOnSecrets: String {
    engine.flow.secrets == nil ? "" : " (secret values in it are not masked)"
  }

  private func saveFlow(_ path: String) throws -> String {
    guard text.isTyped else {
      throw CommandError(
        "the flow has the file \(text.displayName); only a flow that was typed can be saved")
    }
    guard !text.pieces.isEmpty else { throw CommandError("nothing has been declared yet") }
    try write(text.typedText, to: path)
    text = SessionText(file: URL(filePath: path), displayName: path)
    name = Session.shortName(path)
    return try "saved \(path); " + reload(.keep)
  }

  /// Writes a file; an existing one is only overwritten if it begins like a file that is saved here.
  private func write(
    _ text: String, to path: String, over isOurs: @escaping OutputFile.Recognition = { _ in false }
  ) throws {
    do {
      let inputs = self.text.isTyped ? [] : engine.flow.files
      try OutputFile.write(text, to: path, sparing: inputs, over: isOurs)
    } catch {
      if error.isForeign { throw CommandError("\(path) exists, and was not saved in this session") }
      throw CommandError("\(error)")
    }
  }

  // MARK: Loading

  func load(_ path: String) throws -> String {
    guard !path.isEmpty else { throw CommandError(":load takes a file") }
    let read: String
    do {
      read = try TextFile.read(
        URL(filePath: path), name: path, longest: TextFile.longestRecord)
    } catch {
      throw CommandError("\(error)")
    }
    guard read.hasPrefix("{\"") else { return try play(inputs: read, of: path) }
    try expectNotKept("a transcript is played from the initial state")
    let transcript: Transcript
    do {
      transcript = try Transcript(text: read)
    } catch {
      throw CommandError("\(path): \(error)")
    }
    let (new, loaded) = try makeEngine(text)
    try replace(by: new, of: loaded, because: "the flow is replayed from the beginning")
    played = PlayedSteps()
    let difference = play(transcript)
    return "played \(path) from the initial state"
      + (difference.map { "; the first difference: \($0)" } ?? "; no differences")
  }

  /// Evaluates a file as if it were typed; the first error ends it.
  private func play(inputs: String, of path: String) throws -> String {
    let inputs = self.inputs(in: inputs)
    for input in inputs.complete {
      switch evaluate(input.text) {
      case .incomplete: throw CommandError("\(path):\(input.line): this is not complete")
      case .value(let value): if !value.isEmpty { output(value) }
      case .error(let message): throw CommandError("\(path):\(input.line): \(message)")
      case .leave: return "played \(path)"
      }
    }
    if let rest = inputs.rest {
      throw CommandError("\(path):\(rest.line): the file ends in the middle of: \(rest.text)")
    }
    return "played \(path)"
  }
}
