import ArgumentParser
import FlowKernel
import FlowTools
import HostFiles
import Scenarios
import SharedCommands

/// The command `moonlatch check`, which reports all errors of flows and scenario files, and the results of analysis.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reports errors and warnings in flows and scenario files, without running them.",
    discussion: """
      An error keeps a flow from loading or a name from being found: exit code 2. A
      warning is code that works, but probably not as intended; with --strict it is
      exit code 1. A note is neither. A comment allows a warning on its own line and
      on the next:

        action.ping {}   -- check: allow idle-action because the host logs it

      Warnings come from the text and the tables of a flow; nothing is run.
      Conditions are assumed to hold at some time. A host may read any view and
      dispatch any action.

      WARNINGS:
        idle-action              the action passes and changes nothing
        impossible-action        a machine or a scope never lets the action pass
        unasked-gate             the rule is never evaluated for any of its actions
        unreachable-state        no transition leads to the state
        dead-end                 no transition leads out of a state that is not final
        untried-target           an alternative behind one without a condition
        conflicting-transitions  two regions can leave the same state at once
        overruled-refusal        another region takes the action that this one refuses
        never-due                an always or on_done that can never be taken
        unheard-end              a state finishes, and no on_done follows
        unheard-timer            the state refuses the action of its own timer
        idle-history             history = true of a state with regions
        missing-transition       one state lacks the action that all others list
        locked-scope             nothing sets the field that the scope's key reads
        changed-local            a function of the state changes a local of the file
        own-word                 a function or a global has the name of a newer word
        unsent-action            no effect and no timer dispatches the internal action
        never-reset              a gatekeeper lets one action pass and is never reset
        unknown-global           no such global, or no such member of a library
        unknown-field            the state or the payload has no such field
        unknown-value            a value that the place can never have
        misplaced-word           a word of effects in a function of the state
        refused-write            a write to a machine's field, a payload or in a rule
        replaced-state           the parameter is assigned, which changes no state
        wrong-payload            a payload that does not fit its action
        wider-value              a payload's field with values that the state refuses
        missing-return           a rule or an invariant can end without a result
        constant-answer          a rule, an invariant or a condition never varies
        swapped-parameters       the payload is named before the state
        duplicate-key            a table constructor has a key twice
        dot-for-colon            self.fetch() for self:fetch()
        foreign-pattern          a regular expression in place of Lua's pattern
        unused-local             a local or a local function is never used
        unused-stub              nothing in the flow calls the stubbed capability
        wrong-kind               an operand, a loop or an argument of a wrong kind
        untested-optional        an optional value is used without a test
        early-default            a field is read before its record has its defaults
        stray-constraint         key or max_length stands among the record's fields
        never-passes             no state lists the action that the effect dispatches
        weak-table               a metatable has __mode, which does nothing

      With a host file, NAME.host.lua beside NAME.lua or that of --host-file, which
      makes no calls here; a call that nobody provides is an error:
        wrong-argument           an argument that the capability does not take
        unused-capability        nothing in the flow calls it
        unrepeated-task          a plain effect's task is performed at most once

      With --unread:
        unread-view              no effect, factory or scenario reads the view
        unread-field             no rule, reducer, view or invariant reads the field

      With --durable:
        lost-local               a function changes a local, which a restart loses
        cut-off-effect           a restart ends the effect, and no action follows

      Notes:
        failing-view             a view raises an error in the initial state
        lua-name                 an action has the name of a function of Lua
      """)

  @Argument(
    help: "Flows, scenario files, or folders of them. Default: the current folder.",
    completion: .file(extensions: ["lua", "scxml"]))
  var paths: [String] = ["."]

  @Option(
    help: ArgumentHelp(
      "Print only the findings, for programs: jsonl, github or sarif (2.1.0).",
      valueName: "format"))
  var report: FindingReport?

  @Flag(help: "The same as --report jsonl.")
  var json = false

  @Flag(help: "Exit with code 1 if there are warnings.")
  var strict = false

  @Flag(help: "Also check what prevents flows from resuming from a journal after a restart.")
  var durable = false

  @Flag(help: "Report, too, views and fields that nothing here reads; a host may.")
  var unread = false

  @Option(
    help: ArgumentHelp(
      "The host file of the flow, or \"none\". Default: the one beside it.", valueName: "file"),
    completion: .file(extensions: ["lua"]))
  var hostFile: String?

  @Flag(help: "Check again whenever a file changes, until Ctrl-C.")
  var watch = false

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    if watch {
      try watchFiles()
    } else if let status = try printFindings(check()) {
      throw status
    }
  }

  private func check() -> Checker {
    Checker(
      paths, isDurable: durable, reportsUnread: unread,
      hostFile: HostFileChoice(option: hostFile), limits: limiting.limits,
      readFlow: ScenarioFile.readFlow)
  }

  /// Reports the findings again whenever a file has changed.
  private func watchFiles() throws {
    Interrupts.watch()
    var checker = check()
    var stamps = FileStamps(checker.watched)
    try tellAndWait(checker)
    while let changed = stamps.waitForChange() {
      // A change during the check is detected the next time.
      let before = FileStamps(checker.watched)
      let files = checker.files
      checker = check()
      stamps = FileStamps(checker.watched, before: before)
      // A folder changes with whatever an editor writes beside the files.
      if !changed.isDisjoint(with: files) || checker.files != files { try tellAndWait(checker) }
    }
    throw ExitStatus.interrupted
  }

  private func tellAndWait(_ checker: Checker) throws {
    try printFindings(checker)
    let files = counted(checker.fileCount, "file")
    Terminal.writeError("moonlatch: watching \(files); Ctrl-C ends\n")
  }

  /// Writes the findings, and returns the exit code that they call for.
  @discardableResult private func printFindings(_ checker: Checker) throws -> ExitCode? {
    guard checker.fileCount > 0 || !checker.findings.isEmpty else {
      let shown = paths.map { $0 == "." ? "the current folder" : $0 }.joined(separator: ", ")
      Terminal.writeError("moonlatch: there is no Lua file or SCXML document in \(shown)\n")
      return ExitStatus.nothingSelected
    }
    let report = report ?? (json ? .jsonl : nil)
    if let report {
      Terminal.writeDocument(
        report.text(for: checker.findings, version: Release.text))
    } else {
      for finding in checker.findings {
        Terminal.writeOutput(finding.description.visibleLine + "\n")
      }
    }
    let errors = checker.count(.error)
    let warnings = checker.count(.warning)
    if report == nil {
      Terminal.writeOutput(
        "\(counted(checker.fileCount, "file")): "
          + "\(counted(errors, "error")), \(counted(warnings, "warning"))\n")
    }
    if errors > 0 { return ExitStatus.unloadable }
    return strict && warnings > 0 ? ExitStatus.failed : nil
  }

  private func counted(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }
}
