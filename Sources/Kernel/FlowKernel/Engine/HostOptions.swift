import FlowLanguage
import LuaRuntime
import Platform

/// The options with which a host runs its flow.
public struct HostOptions: Sendable {
  /// The host's name in its messages; nil for the name of its flow.
  ///
  /// An id tells many hosts of one flow apart: errors of the host, the chains of a deadlock, reports and log lines
  /// contain it.
  ///
  /// ```swift
  /// var options = HostOptions()
  /// for number in 1...1_000 {
  ///   options.id = "order \(number)"
  ///   hosts.append(try FlowHost(order, options: options))
  /// }
  /// ```
  public var id: String?
  /// The limits on what the flow may use.
  public var limits: Limits
  /// The source of the host's time.
  public var clock: HostClock
  /// The seed of `random()`; the same flow with the same seed and inputs gives the same run.
  public var seed: UInt64
  /// The source of the numbers behind `random()`; nil for Moonlatch's own generator.
  ///
  /// A transcript stores the seed, not the source. To replay one exactly, give the same source, and let it be a pure
  /// function of seed and position.
  public var random: RandomSource?
  /// True if the host records its inputs, for `transcript` and `reload(.replay)`.
  public var keepsTranscript: Bool
  /// True if the host detects, after each call, locals of the flow's files that its functions have changed.
  ///
  /// It reports them, and a reload says which of them it loses.
  public var findsChangedLocals: Bool
  /// True if a journal stores rejected dispatches, too.
  ///
  /// Each record says who dispatched which action, when, and why it was rejected. It is stored before the dispatch is
  /// answered: a turn with a rejected dispatch makes an entry, and waits for the disk as a turn with a commit does.
  /// Such an entry has the first 1,000 records of a batch, at most 256 KiB, and the number of those left out. A payload
  /// of more than 16 KiB is not stored, and texts are cut after 1,000 characters. Nothing is stored of what a case
  /// rejects after it has ended.
  public var keepsRefusals: Bool
  /// True if the host takes over a journal of a flow of another name, such as after a renaming.
  ///
  /// If false, the host refuses such a journal (`JournalError.Kind.otherFlow`). Taking it over once is enough: the
  /// journal remembers both names.
  public var adoptsJournal = false
  /// The time of the wall clock when the host began; nil for the current time.
  ///
  /// `Commit.wallTime` is computed from it and the host's own clock.
  public var began: Date?
  /// The function that receives each line that a script prints.
  public var print: @Sendable (String) -> Void {
    get { { [name = name(of: ""), printing] in printing(name, $0) } }
    set { printing = { newValue($1) } }
  }
  /// The function that receives errors that happen outside of any call.
  ///
  /// Such errors are: an effect that raised an error, an action from the queue that failed or was refused, a capability
  /// that answered when nobody waited any more. A report has a kind, the host's id and a message; its description is
  /// one sentence.
  public var report: @Sendable (HostReport) -> Void

  /// The function behind `print`, which also receives the host's name.
  package var printing: @Sendable (HostName, _ line: String) -> Void = { _, _ in }

  /// Returns the time of the wall clock, in microseconds since 1970, wherever a stored case needs it.
  package var wall: @Sendable () -> Int = EngineTime.wall

  /// The secret texts that are hidden in prints and reports, if there are any.
  package var secretTexts: SecretTexts?

  package var hostRules = HostRules()

  /// Creates the options; omitted ones have the defaults shown.
  ///
  /// `print` and `report` go to standard error.
  public init(
    id: String? = nil, limits: Limits = Limits(), clock: HostClock = .real, seed: UInt64 = 0,
    random: RandomSource? = nil, keepsTranscript: Bool = false, findsChangedLocals: Bool = false,
    keepsRefusals: Bool = false, began: Date? = nil, print: (@Sendable (String) -> Void)? = nil,
    report: (@Sendable (HostReport) -> Void)? = nil
  ) {
    self.id = id
    self.limits = limits
    self.clock = clock
    self.seed = seed
    self.random = random
    self.keepsTranscript = keepsTranscript
    self.findsChangedLocals = findsChangedLocals
    self.keepsRefusals = keepsRefusals
    self.began = began
    self.report = report ?? { Terminal.writeError("\($0)\n") }
    self.print = print ?? { Terminal.writeError($0 + "\n") }
  }

  /// Returns the name of a host of that flow.
  package func name(of flow: String) -> HostName { HostName(id: id, flow: flow) }

  /// Returns the log to which a script of that flow prints.
  package func log(of flow: String, hiding texts: SecretTexts? = nil) -> ScriptLog {
    ScriptLog(hiding: texts) { [name = name(of: flow), printing] in printing(name, $0) }
  }
}

/// The name of a host in its messages.
package struct HostName: Sendable {
  /// The id that the host was given, or nil.
  package let id: String?
  /// Its flow's file.
  package let flow: String

  package init(id: String?, flow: String) {
    self.id = id
    self.flow = flow
  }

  /// The id, or else the flow.
  package var text: String { id ?? flow }
}
