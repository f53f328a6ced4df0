import FlowLanguage
import LuaRuntime
import Platform

/// How a host runs its flow.
public struct HostOptions: Sendable {
  /// What the host is called in what it says of itself; nil for the name of its flow.
  ///
  /// Where a program runs many hosts of one flow, it tells them apart: errors of the host, the chains of
  /// a deadlock, reports and log lines have it.
  ///
  /// ```swift
  /// var options = HostOptions()
  /// for number in 1...1_000 {
  ///   options.id = "order \(number)"
  ///   hosts.append(try FlowHost(order, options: options))
  /// }
  /// ```
  public var id: String?
  /// What the flow may use.
  public var limits: Limits
  /// What moves the clock.
  public var clock: HostClock
  /// The seed of `random()`: the same flow with the same seed and inputs gives the same run.
  public var seed: UInt64
  /// Where the numbers behind `random()` come from; nil for the generator that comes with Moonlatch.
  ///
  /// A transcript keeps the seed, not the source: to replay one exactly, give the same source, and let
  /// it be a pure function of seed and position.
  public var random: RandomSource?
  /// Whether to remember what comes from outside, for `transcript` and `reload(.replay)`.
  public var keepsTranscript: Bool
  /// Whether to look after each call for locals of the flow's files that its functions have changed,
  /// and to report them; a reload tells which of them it loses.
  public var findsChangedLocals: Bool
  /// True if a journal stores what was refused or has failed, too: who dispatched what, when, and why it did not pass.
  ///
  /// It is kept before it is answered: a turn in which something does not pass makes an entry, and waits for the disk
  /// as one does in which an action passes. Such an entry has the first 1,000 of a batch, no more than 256 KiB, and
  /// says how many more there were. A payload of more than 16 KiB is not kept, and texts are cut after 1,000
  /// characters. Nothing is kept of what a case rejects that has ended.
  public var keepsRefusals: Bool
  /// True if the host takes over a journal of a flow of another name, as after a renaming.
  ///
  /// Without it such a journal is refused (`JournalError.Kind.otherFlow`). Once is enough: the journal remembers both names.
  public var adoptsJournal = false
  /// What the wall clock showed when the host began; nil for what it shows then.
  ///
  /// From it and from the host's own clock follows `Commit.wallTime`.
  public var began: Date?
  /// Where a script's `print` goes.
  public var print: @Sendable (String) -> Void {
    get { { [name = name(of: ""), printing] in printing(name, $0) } }
    set { printing = { newValue($1) } }
  }
  /// Where it is said what went wrong away from any call: an effect that raised an error, an action
  /// from the queue that failed or was refused, a capability that answered when nobody waited any more.
  ///
  /// What a host says that was given an id begins with it.
  public var report: @Sendable (String) -> Void {
    get { { [name = name(of: ""), reporting] in reporting(name, $0) } }
    set { reporting = { newValue($0.beginning($1)) } }
  }

  /// The same two for who wants to know which host it is.
  package var printing: @Sendable (HostName, _ line: String) -> Void = { _, _ in }
  package var reporting: @Sendable (HostName, _ sentence: String) -> Void = { _, _ in }

  /// What the wall clock shows, in microseconds since 1970, wherever a case that is kept asks for it.
  package var wall: @Sendable () -> Int = EngineTime.wall

  /// What keeps secrets for whoever prints and reports, if they have something of the kind.
  package var secretTexts: SecretTexts?

  package var hostRules = HostRules()

  /// The options; what is left out is as shown.
  ///
  /// `print` and `report` go to standard error.
  public init(
    id: String? = nil, limits: Limits = Limits(), clock: HostClock = .real, seed: UInt64 = 0,
    random: RandomSource? = nil, keepsTranscript: Bool = false, findsChangedLocals: Bool = false,
    keepsRefusals: Bool = false, began: Date? = nil, print: (@Sendable (String) -> Void)? = nil,
    report: (@Sendable (String) -> Void)? = nil
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
    self.print = print ?? { Terminal.writeError($0 + "\n") }
    self.report = report ?? { Terminal.writeError($0 + "\n") }
  }

  /// What a host of that flow is called.
  package func name(of flow: String) -> HostName { HostName(id: id, flow: flow) }

  /// Where a script of that flow prints.
  package func log(of flow: String, hiding texts: SecretTexts? = nil) -> ScriptLog {
    ScriptLog(hiding: texts) { [name = name(of: flow), printing] in printing(name, $0) }
  }
}

/// What a host is called in what it says of itself.
package struct HostName: Sendable {
  /// The id that it was given, if it was.
  package let id: String?
  /// Its flow's file.
  package let flow: String

  package init(id: String?, flow: String) {
    self.id = id
    self.flow = flow
  }

  /// The id, or else the flow.
  package var text: String { id ?? flow }

  /// The sentence, which begins with the id where there is one.
  package func beginning(_ sentence: String) -> String {
    id.map { "\($0): \(sentence)" } ?? sentence
  }
}
