import FlowHosting
import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Platform
import Scenarios

/// A session at the prompt: a flow that is played input by input.
///
/// An input that fails leaves the session as it was.
final class Session {
  enum Answer: Equatable {
    /// More input is needed.
    case incomplete
    /// The input was evaluated; there may be nothing to print.
    case value(String)
    /// The input failed, with this message.
    case error(String)
    /// The session is over.
    case leave
  }

  /// The options of a session.
  struct Options {
    /// The name of the input in messages.
    var input = "prompt"
    /// The limits of the flow.
    var limits = Limits()
    var style = Style.plain
    /// The maximum width of a line of output; nil for the default of files.
    var width: Int?
    /// True to begin with `:set writes on`.
    var showsWrites = false
    /// True if Ctrl-C stops a script, so that an input may run without a limit on instructions.
    var isInterruptible = false
    /// The journal of the case; nil if the case is not stored.
    var journal: (any JournalStorage)?
    /// True if the journal may belong to a flow of another name.
    var adoptsJournal = false
    var caseID = "main"
    /// The capabilities of the case's host file; a person answers the tasks that nobody performs.
    var capabilities = Capabilities()
  }

  /// The maximum number of instructions of an input that cannot be interrupted.
  private static let budget = 100_000_000

  let options: Options
  /// Receives the output of dispatches and `print` as it happens.
  let output: @Sendable (String) -> Void
  /// Receives the output that may be very long, and shortens it.
  let told: InputReport
  /// The secret texts that the session has had, to hide them in output.
  let secretTexts: SecretTexts
  var engine: Engine
  /// The flow that the engine runs; nil in the flow of a scenario.
  var loaded: LoadedFlow?
  /// The actions, transitions and so on that inputs have exercised since the flow was loaded.
  var coverage: CoverageNotes?
  /// The case if it is stored in a journal.
  let kept: EngineCase?
  /// The reason why nothing can be played any more: the engine is ahead of the journal.
  var lost: String?
  /// The flow's name, for the prompt.
  var name: String
  var text: SessionText
  var style: Style
  var played = PlayedSteps()
  var clock = SessionClock()
  var settings = SessionSettings()
  /// The stubs of capabilities: the source of the answer by `scope.capability`.
  var stubs: [(name: String, source: String)] = []
  /// The calls that the stubs answer.
  private var stubbedCalls: StubbedCalls?
  /// The missing capabilities that were called, such as `root.fetch`.
  var unanswered: [String] = []
  /// The effects that failed since the last step.
  var faults: [PlayedSteps.EffectFault] = []
  /// The tasks that this process performs or numbers.
  var tasks: SessionTasks
  /// The commits since the current input began.
  var news = RecentTransitions()
  /// The errors of effects since the current input began.
  var complaints = Diagnostics()
  /// The gatekeepers and scopes after the last commit.
  var beside = GatekeepersAndScopes()
  /// The values of the views that were reported last.
  var viewValues: [String: Value] = [:]
  /// True while errors from the start of the flow are received.
  private(set) var isInstalling = false
  /// The scenario in whose flow the session is; nil for the session's own flow.
  var halt: Halt?
  /// The stage that `:look` moves to: the last state of a run, or the session's own.
  var aside: Stage?

  /// Loads the flow; without one the session has an empty flow, to which declarations are added.
  ///
  /// - Throws: `FlowError` or `ScriptError` if the flow cannot be loaded.
  init(
    flow: URL?, name: String, options: Options = Options(),
    output: @escaping @Sendable (String) -> Void
  ) throws {
    text = flow.map { SessionText(file: $0, displayName: name) } ?? SessionText.typed()
    self.name = Session.shortName(name)
    self.options = options
    let texts = SecretTexts()
    secretTexts = texts
    self.output = { output(texts.hiding(in: $0)) }
    told = InputReport(output: self.output)
    style = options.style
    settings = SessionSettings(options)
    tasks = SessionTasks(options.capabilities, of: options.caseID)
    let loaded = try LoadedFlow(
      text.sources, limits: options.limits, log: Session.log(told, texts, style))
    self.loaded = loaded
    if let journal = options.journal {
      var host = HostOptions(limits: options.limits, print: Session.printing(told, style))
      host.secretTexts = texts
      host.adoptsJournal = options.adoptsJournal
      let (kept, engine) = try EngineCase.open(
        options.caseID, of: loaded, in: journal, options: host, capabilities: options.capabilities)
      (self.kept, self.engine) = (kept, engine)
    } else {
      kept = nil
      engine = try Session.makeEngine(
        loaded, Session.log(told, texts, style), options.capabilities)
    }
    try install()
  }

  /// Starts a session in the flow of a scenario, in the state in which the scenario ended.
  ///
  /// - Throws: `ScriptError` if there is not enough memory for a prompt.
  init(
    at halt: Halt, options: Options = Options(), output: @escaping @Sendable (String) -> Void
  ) throws {
    text = SessionText(file: halt.flow, displayName: halt.flowName)
    name = Session.name(of: halt)
    self.options = options
    let texts = halt.engine.secretTexts ?? SecretTexts()
    secretTexts = texts
    self.output = { output(texts.hiding(in: $0)) }
    told = InputReport(output: self.output)
    style = options.style
    settings = SessionSettings(options)
    tasks = SessionTasks(options.capabilities, of: options.caseID)
    kept = nil
    engine = halt.engine
    self.halt = halt
    try Session.log(told, texts, style).attach(to: engine.vm)
    try install()
  }

  /// Returns the log for `print`.
  static func log(
    _ told: InputReport, _ secretTexts: SecretTexts, _ style: Style
  ) -> ScriptLog {
    ScriptLog(hiding: secretTexts, printing(told, style))
  }

  private static func printing(
    _ told: InputReport, _ style: Style
  ) -> @Sendable (String) -> Void {
    let bar = style.quiet("|") + " "
    return { text in
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      told.add([lines.map { bar + $0 }.joined(separator: "\n")])
    }
  }

  static func makeEngine(
    _ loaded: LoadedFlow, _ log: ScriptLog, _ capabilities: Capabilities = Capabilities()
  ) throws -> Engine {
    let engine = try Engine(
      loaded, limits: loaded.limits, log: log, seed: 0, parts: HostParts(capabilities: capabilities)
    )
    engine.observers.transcript = Transcript(
      flow: engine.flow.file, hash: engine.flow.hash, seed: 0)
    return engine
  }

  private static let prelude = Prelude(
    Prelude.Chunk(text: PackageResources.session_lua, code: PackageResources.session_luac))

  var revision: Int { engine.revision }
  var actionNames: [String] { engine.flow.actionNames }

  /// Returns true if an action is declared by that whole name; a document may accept any text as an event.
  private func isAction(_ name: String) -> Bool { engine.flow.indexOfAction[name] != nil }
  var input: String { options.input }
  var budget: Int { options.isInterruptible ? 1 << 60 : Session.budget }

  static func shortName(_ path: String) -> String {
    FlowFile.stem(of: path).visibleLine
  }

  /// The prompt: the flow and its revision.
  var prompt: String { "\(name)#\(revision)> " }

  // MARK: Evaluating

  /// Evaluates an action, a command, an expression or a statement.
  ///
  /// - Parameter line: the line of the input on which the text begins.
  func evaluate(_ text: String, line: Int = 1) -> Answer {
    switch answer(to: text, line: line) {
    case .value(let value): .value(secretTexts.hiding(in: value))
    case .error(let message): .error(secretTexts.hiding(in: message))
    case let answer: answer
    }
  }

  private func answer(to text: String, line: Int) -> Answer {
    news = RecentTransitions()
    complaints = Diagnostics()
    told.begin()
    if options.isInterruptible { Interruption.reset(engine.vm) }
    var answer: Answer
    if PromptCommand.isCommand(text) {
      answer = run(command: text)
    } else if self.text.isTyped, let declaration = TypedDeclaration(text) {
      answer = isComplete(text) ? declare(declaration) : .incomplete
    } else {
      answer = evaluateLua(text, line: line)
    }
    if answer != .leave { deliverAnswers() }
    if options.isInterruptible, Interruption.hasCome { engine.vm.clearInterruption() }
    told.end()
    if !complaints.isEmpty {
      let complaint = complaints.lines.joined(separator: "\n")
      if case .error(let message) = answer {
        answer = .error(complaint + "\n" + message)
      } else if case .value(let value) = answer {
        if !value.isEmpty { output(value) }
        answer = .error(complaint)
      }
      complaints = Diagnostics()
    }
    return answer
  }

  private func evaluateLua(_ text: String, line: Int) -> Answer {
    if hides(text) { return .value("\(Secrets.dots)") }
    let numbered = String(repeating: "\n", count: max(0, line - 1))
    do {
      let results = try ask(
        "session_evaluate", [.string(text), .string(input), .string(numbered)])
      let told = results.dropFirst().compactMap(\.stringValue).joined(separator: "\n")
      return switch results.first?.stringValue {
      case "incomplete": .incomplete
      case "syntax": .error(hint(told, for: text))
      default: .value(told)
      }
    } catch {
      return .error(hint(error.report, for: text))
    }
  }

  /// Returns true if an expression is a path of the state with a secret value, such as `s.user.pin`.
  func hides(_ expression: String) -> Bool {
    let expression = expression.trimmed
    guard let secrets = engine.flow.secrets, let path = StatePath(parsing: expression),
      path.keys.first == "s"
    else { return false }
    return secrets.hidesAll(at: StatePath(Array(path.keys.dropFirst())))
  }

  /// Calls a function of `session.lua`.
  @discardableResult
  func ask(_ function: String, _ arguments: [Value] = [], budget: Int? = nil) throws(ScriptError)
    -> [Value]
  {
    try engine.vm.call(
      engine.vm.preludeFunction(function), arguments, phase: .script,
      budget: budget ?? self.budget)
  }

  /// Returns an error with a hint if the text is a declaration, which belongs in the flow's file.
  private func hint(_ message: String, for text: String) -> String {
    guard !self.text.isTyped, let declaration = TypedDeclaration(text),
      !declaration.head.hasPrefix("local")
    else { return message }
    return message
      + "\n(a declaration belongs in \(self.text.displayName): :edit opens it, :reload loads it)"
  }

  // MARK: The engine's side

  /// Connects an engine with this session.
  func install() throws(ScriptError) {
    let vm = engine.vm
    if options.isInterruptible {
      Interruption.stops(vm)
      // A user who can interrupt a script decides how long it may take.
      vm.beginUntimed()
    }
    try vm.provide("session_dispatch", readsByType: true) { [unowned self] in
      try dispatch($0)
      return []
    }
    try vm.provide("session_action") { [unowned self] in
      [.boolean(isAction($0.first?.stringValue ?? ""))]
    }
    try vm.provide("session_names") { [unowned self] _ in
      let names = ["s"] + actionNames.filter { Value.isName($0) }
      return [.record(Dictionary(uniqueKeysWithValues: Set(names).map { ($0, true) }))]
    }
    try vm.provide("session_command") { arguments in
      let name = arguments.first?.stringValue ?? ""
      if name == "exit" || name == "quit" { return ["quit"] }
      return PromptCommand.named(name).map { [.string($0.name)] } ?? []
    }
    try vm.provide("session_call") { [unowned self] in
      let name = $0.first?.stringValue ?? ""
      guard isAction(name), let action = engine.flow.action(named: name) else { return [] }
      return [.string("type " + call(of: action))]
    }
    try vm.provide("session_give", readsByType: true) { [unowned self] in
      try give($0)
      return []
    }
    try vm.provide("scope_missing") { [unowned self] in throw missing($0.first?.stringValue ?? "") }
    stubbedCalls = StubbedCalls(engine)
    try stubbedCalls?.provide(in: vm)
    try FlowPreludes.installAll(in: vm)
    try Session.prelude.run(in: vm, phase: .script, budget: budget)
    for (name, value) in settings.limits {
      try ask("session_limit", [.string(name), .integer(value)])
    }
    for stub in stubs {
      try ask("session_stub", [.string(stub.name), .string(stub.source), .string("stub")])
    }
    vm.coverLines()
    coverage = CoverageNotes(active: engine.activeStates, after: engine.latestSteps)
    engine.observers.recordsMicrosteps = true
    engine.observers.commitHandler = { [unowned self] in tell($0) }
    isInstalling = true
    engine.report = { [unowned self] in hear($0) }
    isInstalling = false
    try engine.findChangedLocals()
    viewValues = settings.showsViews ? engine.followViews() : [:]
    beside = GatekeepersAndScopes(engine)
    clock.start(at: engine.time)
  }
}

/// The settings that `:set` changes.
struct SessionSettings {
  var depth = 6
  var items = 40
  var width = 90
  var showsViews = true
  /// True if each write of a commit is shown, and not only its net changes.
  var showsWrites = false

  init() {}

  init(_ options: Session.Options) {
    if let width = options.width { self.width = width }
    showsWrites = options.showsWrites
  }

  var limits: [(name: String, value: Int)] {
    [("depth", depth), ("items", items), ("width", width)]
  }
}
