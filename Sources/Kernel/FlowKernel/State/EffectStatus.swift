import LuaRuntime

/// An effect under way: its waits, with their reasons and beginnings, and its failed attempts.
///
/// Times are those of the case's own clock, which begins with its birth.
public struct EffectStatus: Sendable, Hashable {
  /// The activity of an effect, in one word.
  public enum Activity: String, Sendable, Hashable {
    /// Its action has passed, and it has not begun yet.
    case starting
    /// It runs.
    case running
    /// It waits for the answer of a capability.
    case waiting
    /// It sleeps.
    case sleeping
    /// An attempt of a `retry` has failed, and the next one follows or is under way.
    case retrying
  }

  /// A wait of an effect, or of a function of it that runs beside others.
  public struct Wait: Sendable, Hashable {
    /// The event that ends a wait.
    public enum Reason: Sendable, Hashable {
      /// The answer of a capability of this name.
      case capability(String)
      /// The answer to a task.
      case task(OpenTask)
      /// The time at which the sleep ends.
      case sleep(until: Duration)
      /// The time of the next attempt of a `retry`.
      case retry(until: Duration)
    }

    /// The position of the function in the effect, such as `all1.2`; empty for the effect itself.
    public let function: String
    /// The event that ends the wait.
    public let reason: Reason
    /// The time at which the wait began, in microseconds.
    package let since: Int
    /// The number of the attempt of the innermost `retry` to which it belongs, from 1 on; 0 outside of any.
    public let attempt: Int

    /// The time at which the wait began.
    public var elapsed: Duration { .microseconds(since) }
  }

  /// Its number in the case, which is never reused; 0 for an effect that is about to begin.
  public let number: Int
  /// Its title in messages.
  public let title: String
  /// The action that it follows.
  public let action: String
  /// The revision that it follows.
  public let cause: Int
  /// True if it is durable, and resumes after a restart.
  public let isDurable: Bool
  /// The time at which its action passed, in microseconds.
  package let began: Int
  /// Its waits, one for each function that waits; empty while it runs.
  public let waits: [Wait]
  /// The latest failed attempts that were tried again, in order: 20 at most.
  public let attempts: [EffectAttempt]

  /// Its activity.
  public var activity: Activity {
    if number == 0 { return .starting }
    if waits.isEmpty { return .running }
    if waits.contains(where: \.isAgain) { return .retrying }
    let isAsleep = waits.allSatisfy { if case .sleep = $0.reason { true } else { false } }
    return isAsleep ? .sleeping : .waiting
  }

  /// The beginning of its longest current wait, in microseconds; the time at which its action passed, if it does not
  /// wait.
  package var since: Int { waits.map(\.since).min() ?? began }

  /// The time at which its action passed.
  public var elapsed: Duration { .microseconds(began) }

  /// The beginning of its longest current wait; the time at which its action passed, if it does not wait.
  public var waitingSince: Duration { .microseconds(since) }
}

extension EffectStatus.Wait {
  /// The task for whose answer the function waits; nil if it waits for something else.
  public var openTask: OpenTask? { if case .task(let task) = reason { task } else { nil } }

  fileprivate var isAgain: Bool { if case .retry = reason { true } else { attempt > 1 } }

  /// A text such as `waits for charge`, `sleeps until 20 s` or `tries again at 20 s`; times are the case's own.
  package var text: String {
    let words =
      switch reason {
      case .capability(let name): "waits for \(name)"
      case .task(let task): "waits for \(task.name)"
      case .sleep(let due): "sleeps until \(DurationText.text(due))"
      case .retry(let due): "tries again at \(DurationText.text(due))"
      }
    return function.isEmpty ? words : "\(words) (\(function))"
  }
}

/// An attempt of a `retry` in an effect that failed and was tried again.
public struct EffectAttempt: Sendable, Hashable {
  /// The number of the attempt in its `retry`, from 1 on.
  public let attempt: Int
  /// The greatest number of attempts that this `retry` makes.
  public let times: Int
  /// The error's message, with known secrets hidden.
  public let error: String
  /// The time at which it failed, in microseconds of the case's own time.
  package let time: Int

  /// The time at which it failed, by the case's own clock.
  public var elapsed: Duration { .microseconds(time) }

  /// The greatest number of attempts stored of an effect; `longestError` is the greatest length of an error in
  /// characters.
  package static let most = 20
  static let longestError = 2_000

  /// A text such as `attempt 2 of 5 failed: timed out`.
  package var text: String { "attempt \(attempt) of \(times) failed: \(error)" }
}

/// An effect that did not finish.
public struct EffectFailure: Sendable, Hashable {
  /// The effect's number in the case; 0 for one that had never waited.
  public let number: Int
  /// Its title in messages.
  public let title: String
  /// The action that it followed.
  public let action: String
  /// The revision that it followed.
  public let cause: Int
  /// The error's message, its place, and the calls that led there, with known secrets hidden.
  public let reason: String
  /// True if the script itself was wrong; false if something raised an error.
  public let isFault: Bool
  /// The action of `on_error` that followed; nil if none did.
  public let handler: String?
  /// The latest attempts that had failed before, in order: 20 at most.
  public let attempts: [EffectAttempt]
  /// The time at which it ended, in microseconds of the case's own time.
  package let time: Int

  /// The time at which it ended, by the case's own clock.
  public var elapsed: Duration { .microseconds(time) }

  /// A text such as `effect.pay did not finish: the card was declined; failed follows`.
  package var text: String {
    "\(title) did not finish: \(reason)" + (handler.map { "; \($0) follows" } ?? "")
  }
}

extension EffectStatus {
  package init(_ stored: EffectRecord) {
    self.init(
      number: stored.number, title: stored.title, action: stored.commit.action,
      cause: stored.cause.revision, isDurable: !stored.log.isEmpty,
      began: stored.commit.microseconds, waits: stored.waits, attempts: stored.attempts)
  }
}

// MARK: Storing

extension EffectStatus.Wait: Stored {
  /// The numbers are never reused.
  private enum Tag: UInt8 { case capability = 1, sleep, retry, task }

  package func write(to writer: inout ValueWriter) {
    writer.writeText(function)
    switch reason {
    case .capability(let name):
      writer.writeByte(Tag.capability.rawValue)
      writer.writeText(name)
    case .task(let task):
      writer.writeByte(Tag.task.rawValue)
      writer.write(task)
    case .sleep(let due):
      writer.writeByte(Tag.sleep.rawValue)
      writer.writeInteger(EngineTime.microseconds(due))
    case .retry(let due):
      writer.writeByte(Tag.retry.rawValue)
      writer.writeInteger(EngineTime.microseconds(due))
    }
    writer.writeInteger(since)
    writer.writeCount(attempt)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    function = try reader.readText()
    switch Tag(rawValue: try reader.byte()) {
    case .capability: reason = .capability(try reader.readText())
    case .task: reason = .task(try reader.read())
    case .sleep: reason = .sleep(until: .microseconds(try reader.readInteger()))
    case .retry: reason = .retry(until: .microseconds(try reader.readInteger()))
    case nil: throw ValueReader.Malformed()
    }
    since = try reader.readInteger()
    attempt = try reader.readCount()
  }
}

extension EffectAttempt: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeCount(attempt)
    writer.writeCount(times)
    writer.writeText(error)
    writer.writeInteger(time)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    attempt = try reader.readCount()
    times = try reader.readCount()
    error = try reader.readText()
    time = try reader.readInteger()
  }
}

extension EffectFailure: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeCount(number)
    writer.writeText(title)
    writer.writeText(action)
    writer.writeInteger(cause)
    writer.writeText(reason)
    writer.write(isFault)
    writer.write(handler) { $0.writeText($1) }
    writer.write(attempts)
    writer.writeInteger(time)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    number = try reader.readCount()
    title = try reader.readText()
    action = try reader.readText()
    cause = try reader.readInteger()
    reason = try reader.readText()
    isFault = try reader.readFlag()
    handler = try reader.readOptional { reader throws(ValueReader.Malformed) in
      try reader.readText()
    }
    attempts = try reader.readAll()
    time = try reader.readInteger()
  }
}
