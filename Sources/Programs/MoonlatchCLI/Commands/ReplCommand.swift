import ArgumentParser
import FlowHosting
import FlowKernel
import FlowLanguage
import HostFiles
import LuaRuntime
import Platform
import SharedCommands

/// The command `moonlatch repl`, which plays a flow at a prompt.
struct ReplCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repl",
    abstract: "Opens an interactive prompt (REPL) for a flow.",
    discussion: """
      An input is an action (coin { amount = 1 }), a command (:help lists them), a
      Lua expression or a Lua statement; s is the state. Enter runs a complete input,
      and otherwise begins its next line. Without a flow there is an empty one, to
      which you can add declarations. Without a terminal there is no prompt, and the
      first error ends the run with exit code 3.

      With --journal the session plays a case that is stored in a file. It resumes
      the case and uses the real clock, and the result of an input is shown only
      when it is on disk. Calls of capabilities that the host file names wait:
      :tasks lists them, :complete and :fail answer them. Nothing is sent, unless
      --live is given: then http and command capabilities are called for real, also
      without a journal, and an input waits for the answers. You answer for workers.
      """)

  @Argument(
    help: "The flow's file. Default: an empty flow.",
    completion: .file(extensions: ["lua", "scxml"]))
  var flow: String?

  @Flag(help: "Without a terminal: continue after an error (the exit code is still 3).")
  var keepGoing = false

  @Flag(help: "At a terminal: reload the flow on every save; the state is kept.")
  var watch = false

  @Option(
    help: "Play a case of this journal; create the journal and the case if needed.",
    completion: .file())
  var journal: String?

  @Flag(help: "Accept the journal of a flow of another name.")
  var adopt = false

  @Option(name: .customLong("case"), help: "The id of the case.")
  var caseID: String?

  @Option(
    help: "The file that names the case's capabilities, or \"none\". Default: that of the flow.",
    completion: .file())
  var hostFile: String?

  @Flag(help: "Call the capabilities of the host file for real, by moonlatch-serve.")
  var live = false

  @Flag(help: "With --live: let http capabilities reach private addresses.")
  var allowPrivate = false

  @Flag(help: "With --live: let command capabilities run programs on this machine.")
  var allowCommands = false

  @Flag(name: .shortAndLong, help: "Show each write of a commit, and not only the net changes.")
  var verbose = false

  @Flag(help: "At a terminal: print long results, instead of showing them with $PAGER.")
  var noPager = false

  @OptionGroup var limiting: LimitOptions

  func validate() throws {
    if journal != nil && flow == nil {
      throw ValidationError("--journal needs a flow's file: an empty flow has no case to store.")
    }
    if caseID != nil && journal == nil { throw ValidationError("--case is only for --journal.") }
    if adopt && journal == nil { throw ValidationError("--adopt is only for --journal.") }
    if hostFile != nil && journal == nil && !live {
      throw ValidationError("--host-file is only for --journal and --live.")
    }
    if live && flow == nil {
      throw ValidationError("--live needs a flow's file: an empty flow has no host file.")
    }
    if allowPrivate && !live { throw ValidationError("--allow-private is only for --live.") }
    if allowCommands && !live { throw ValidationError("--allow-commands is only for --live.") }
    if let journal, case .database = try NamedJournal(journal) {
      throw ValidationError(
        "--journal must be a file here; for a database use \"moonlatch inspect FLOW --journal postgresql://…\"."
      )
    }
  }

  func run() throws {
    if live { try ServeProgram.becomeForLiveCalls() }
    let environment = ProcessInfo.processInfo.environment
    let isInteractive = Terminal.isInteractive
    if watch && !isInteractive { throw ValidationError("--watch needs a terminal.") }
    if watch && flow == nil { throw ValidationError("--watch needs a flow's file.") }
    let capabilities = try capabilities()
    let kept = try journal.map(openCase)
    defer { try? kept?.store.close() }
    let session = try openSession(isInteractive, environment, kept, capabilities)
    if isInteractive { Interruption.catchAll() }
    if let kept { try takeUp(kept, session) }
    let source: any InputSource =
      (isInteractive ? edited(session, environment) : nil)
      ?? PlainInput(session: session, isInteractive: isInteractive)
    let status = Repl(
      session: session, source: source, isInteractive: isInteractive, keepGoing: keepGoing,
      pager: isInteractive && !noPager ? Pager(environment) : nil
    ).run()
    if status != .success { throw status }
  }

  /// Returns a source with line editing; nil if the terminal can only print.
  private func edited(_ session: Session, _ environment: [String: String]) -> EditedInput? {
    if Style.isDumb(environment) { return nil }
    return EditedInput(
      session: session,
      history: HistoryFile(
        flow: flow.map { URL(filePath: $0) }, name: session.name, environment: environment),
      watch: watch ? FileWatch(session.engine.flow.files) : nil)
  }

  /// Returns the capabilities of the host file; none without a journal, unless they are called for real.
  private func capabilities() throws -> Capabilities {
    guard journal != nil || live, let flow else { return Capabilities() }
    guard let file = try findHostFile(of: flow) else { return Capabilities() }
    return try journalErrors {
      // Names stand in place of variables and secrets if nothing is sent.
      let hostFile = try HostFile(
        file, limits: limiting.limits, reading: live ? .process : .names)
      let loaded = try LoadedFlow(URL(filePath: flow), limits: limiting.limits)
      let client = live ? LiveClient.current : nil
      var capabilities = try hostFile.capabilities(
        for: loaded.flow, sender: client?.sender(allowsPrivate: allowPrivate),
        runner: allowCommands ? client?.runner() : nil)
      if live { try expectAllowedCommands(of: hostFile) }
      if journal == nil { capabilities.live = LiveTasks(hasWorkers: true) }
      return capabilities
    }
  }

  private func expectAllowedCommands(of file: HostFile) throws {
    do throws(CommandsNotAllowed) {
      try file.expectAllowed(commands: allowCommands)
    } catch {
      Terminal.writeError("\(error)\n")
      throw ExitStatus.unloadable
    }
  }

  private func findHostFile(of flow: String) throws -> URL? {
    let choice = HostFileChoice(option: hostFile)
    if let file = choice.url(for: URL(filePath: flow)) { return file }
    guard live, choice == .beside else { return nil }
    throw ValidationError(
      "--live needs a host file, and there is none beside \(flow): name it with --host-file.")
  }

  private func openCase(in journal: String) throws -> JournaledCase {
    try journalErrors {
      // A flow with errors must not leave an empty journal.
      if let flow { _ = try LoadedFlow(URL(filePath: flow), limits: limiting.limits) }
      return try JournaledCase(file: journal, id: caseID ?? "main")
    }
  }

  /// Prints where the case resumes, and what has happened to it since.
  private func takeUp(_ kept: JournaledCase, _ session: Session) throws {
    for line in kept.opening { Terminal.writeOutput(line + "\n") }
    do {
      try session.takeUp()
    } catch {
      Terminal.writeError("\(error)\n")
      throw ExitStatus.scriptError
    }
  }

  private func openSession(
    _ isInteractive: Bool, _ environment: [String: String], _ kept: JournaledCase?,
    _ capabilities: Capabilities
  ) throws -> Session {
    let file = flow.map { URL(filePath: $0) }
    var options = Session.Options(
      input: isInteractive ? "prompt" : "input",
      style: .suiting(1, environment: environment),
      width: isInteractive ? max(20, LineEditor.width - 1) : nil,
      isInterruptible: isInteractive)
    options.limits = limiting.limits
    options.showsWrites = verbose
    options.journal = kept?.store
    options.adoptsJournal = adopt
    options.caseID = kept?.id ?? "main"
    options.capabilities = capabilities
    // Hosts use the same name, so that the journal recognizes the flow.
    let name = kept == nil ? flow : file?.lastPathComponent
    do {
      return try Session(
        flow: file, name: name ?? "flow.lua", options: options,
        output: { SessionOutput.write($0 + "\n") })
    } catch let error as ScriptError {
      Terminal.writeError("\(error.report)\n")
    } catch let error as FlowError {
      Terminal.writeError("\(error.report)\n")
    } catch {
      Terminal.writeError("\(error)\n")
    }
    throw ExitStatus.unloadable
  }
}
