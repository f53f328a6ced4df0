import ArgumentParser
import FlowKernel
import FlowTools
import Scenarios
import SharedCommands

/// The command `moonlatch check`, which reports all errors of flows and scenario files, and the results of analysis.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reports every fault of flows and scenario files, running nothing.",
    discussion: """
      A fault keeps a flow from loading or a name from being found: exit code 2. A
      warning is what can work but hardly as it was meant; with --strict it is exit
      code 1. A comment allows a warning on its own line and on the next:

        status = "new",   -- check: allow unread-field because the host shows it

      Warnings come from the text and the tables of a flow, not from playing it.
      Fields are told apart by their names; where the state as a whole goes
      somewhere (pairs(s), return s, s[name]), no field counts as unread. Conditions
      are taken to hold sooner or later. What a host does is not known: it may read
      a view, and offer any action. Views count as unread only where scenario files
      of their flow are checked too.

      WARNINGS:
        idle-action        nothing happens when the action passes
        impossible-action  a machine or a scope never lets the action pass
        unasked-gate       none of the rule's actions comes as far as the rule
        unreachable-state  no way leads to a machine's state
        dead-end           no way leads out of a state that is not final
        untried-target     a target behind one without a condition
        conflicting-ways   two regions can leave the same at once, and rank decides
        overruled-refusal  a region beside takes what this one refuses
        never-due          an always or on_done that no state comes to
        unheard-end        a state finishes, and no on_done says what follows
        unheard-timer      a state's timer whose action is refused there
        idle-history       history = true of a state with regions
        missing-way        one state alone lacks what all beside it list
        locked-scope       nothing sets what the scope's key reads
        unread-view        no effect, factory or scenario reads the view
        unread-field       no rule, reducer, view or invariant reads the field
        changed-local      a local of the file is changed by what runs on the state
        own-word           a function or a global has the name of a newer word
        unsent-action      no effect and no timer dispatches the internal action
        never-reset        a yes/no gatekeeper lets one pass, and then nobody
        unknown-global     no such global, or nothing of that name in a library
        unknown-field      state or payload have no field of that name
        unknown-value      what is compared, written or expected never is so
        misplaced-word     a word of effects in what runs on the state
        refused-write      a machine's field, a payload or a rule's state is written
        replaced-state     the parameter is given a table, which changes no state
        wrong-payload      a payload that is written out does not fit its action
        missing-return     a rule or an invariant can end without an answer
        constant-answer    a rule, an invariant or a condition is always the same
        swapped-parameters the payload is named before the state
        duplicate-key      a table's constructor gives a key twice
        dot-for-colon      self.fetch() for self:fetch()
        unused-local       a local or a local function is never used
        unused-stub        nothing in the flow calls what is stubbed
        wrong-kind         what an operator, a loop or a function cannot be given
        untested-optional  what may be none is used without a test
        early-default      a field is read before its record was completed
        stray-constraint   key or max_length stands among the fields of the records
        never-passes       no state lists what the effect dispatches, or pass offers
        weak-table         a metatable has __mode, which does nothing

      With --durable:
        lost-local         a function changes a local, which a restart loses
        cut-off-effect     a restart cuts the effect off, and nobody hears of it
      """)

  @Argument(
    help: "Flows, scenario files, or folders of them. Without any: the current folder.",
    completion: .file(extensions: ["lua", "scxml"]))
  var paths: [String] = ["."]

  @Option(
    help: ArgumentHelp(
      "Print the findings for programs, and nothing else: jsonl, github or sarif (2.1.0).",
      valueName: "format"))
  var report: FindingReport?

  @Flag(help: "The same as --report jsonl.")
  var json = false

  @Flag(help: "End with exit code 1 when there are warnings.")
  var strict = false

  @Flag(help: "Check, too, what keeps flows from living on after a restart, in a journal.")
  var durable = false

  @Flag(help: "Check again whenever a file changes, until Ctrl-C.")
  var watch = false

  @OptionGroup var limiting: LimitOptions

  func run() throws {
    if watch {
      try watchFiles()
    } else if let status = try tell(check()) {
      throw status
    }
  }

  private func check() -> Checker {
    Checker(
      paths, isDurable: durable, limits: limiting.limits, readFlow: ScenarioFile.readFlow)
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
    try tell(checker)
    let files = counted(checker.fileCount, "file")
    Terminal.writeError("moonlatch: watching \(files); Ctrl-C ends\n")
  }

  /// Writes the findings, and returns the exit code that they call for.
  @discardableResult private func tell(_ checker: Checker) throws -> ExitCode? {
    guard checker.fileCount > 0 || !checker.findings.isEmpty else {
      let shown = paths.map { $0 == "." ? "the current folder" : $0 }.joined(separator: ", ")
      Terminal.writeError("moonlatch: there is no Lua file and no SCXML document in \(shown)\n")
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
