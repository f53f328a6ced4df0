import FlowLanguage
import LuaRuntime

extension EffectLog {
  /// An item of the log of a durable effect.
  package indirect enum Item {
    /// The effect began with these arguments besides the payload.
    case began([Value])
    /// A question was answered at once, with this answer.
    case answered(Question, Result<[Value], ScopeRefusal>)
    /// A capability was called, and its answer is recorded later.
    case called(Question)
    /// A capability was missing: no scope instance lends one of that name, such as `root.charge`.
    case missed(String)
    /// The effect, or a function of it, sleeps, until a time, by a timer; the timer is 0 if it only yields.
    case slept(for: Int, until: Int, timer: Int)
    /// A function of the effect began, with that effect number, at a position such as `all1.2`.
    case function(Int, at: String)
    /// The effect printed something; another version of the flow may print less, or more.
    case printed
    /// The effect, or its function of that number, resumed with an answer.
    case wentOn(function: Int, Result<[Value], TaskError>)
    /// The effect, or its function of that number, resumed with the failure of a task.
    case callFailed(function: Int, CallFailure)
    /// A stub did something itself, called by the function of that number; this is no question of the effect.
    case ofStub(function: Int, Item)
    /// A stub answered the function of that number: true if without an error, and the answer or the error.
    case stubAnswered(function: Int, isFine: Bool, [Value])
    /// `revised` returned true for that name.
    case revised(String)

    /// True if a version of the flow that asks for something else skips this item.
    var isPassedOver: Bool {
      switch self {
      case .printed, .revised: true
      default: false
      }
    }

    func isRevision(_ name: String) -> Bool {
      if case .revised(let known) = self { ExactText(known) == ExactText(name) } else { false }
    }

    /// Returns the item with the current names of actions.
    func renaming(_ names: ActionNames) -> Item {
      if names.isEmpty { return self }
      return switch self {
      case .answered(let question, let answer): .answered(question.renaming(names), answer)
      case .ofStub(let function, let item): .ofStub(function: function, item.renaming(names))
      default: self
      }
    }
  }
}

extension EffectLog.Item: Stored {
  /// The numbers are never reused; 2, 3, 4 and 6 belonged to items that no longer exist.
  private enum Tag: UInt8 {
    case began = 1
    case wentOn = 5
    case printed = 7
    case answered, called, missed, slept, function, ofStub, stubAnswered, revised, callFailed
  }

  package func write(to writer: inout ValueWriter) {
    func tag(_ tag: Tag) { writer.writeByte(tag.rawValue) }
    switch self {
    case .began(let more):
      tag(.began)
      writer.write(more) { $0.write($1) }
    case .answered(let question, let answer):
      tag(.answered)
      writer.write(question)
      writer.write(answer.mapError(\.description))
    case .called(let question):
      tag(.called)
      writer.write(question)
    case .missed(let name):
      tag(.missed)
      writer.writeText(name)
    case .slept(let delay, let due, let timer):
      tag(.slept)
      writer.writeInteger(delay)
      writer.writeInteger(due)
      writer.writeCount(timer)
    case .function(let number, let place):
      tag(.function)
      writer.writeCount(number)
      writer.writeText(place)
    case .printed: tag(.printed)
    case .wentOn(let function, let answer):
      tag(.wentOn)
      writer.writeCount(function)
      writer.write(answer.mapError(\.message))
    case .callFailed(let function, let failure):
      tag(.callFailed)
      writer.writeCount(function)
      writer.write(failure)
    case .ofStub(let function, let item):
      tag(.ofStub)
      writer.writeCount(function)
      item.write(to: &writer)
    case .stubAnswered(let function, let isFine, let answer):
      tag(.stubAnswered)
      writer.writeCount(function)
      writer.write(isFine)
      writer.write(answer) { $0.write($1) }
    case .revised(let name):
      tag(.revised)
      writer.writeText(name)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch Tag(rawValue: try reader.byte()) {
    case .began: self = .began(try reader.readValues())
    case .answered:
      self = .answered(try reader.read(), try reader.readAnswer().mapError { ScopeRefusal($0) })
    case .called: self = .called(try reader.read())
    case .missed: self = .missed(try reader.readText())
    case .slept:
      self = .slept(
        for: try reader.readInteger(), until: try reader.readInteger(),
        timer: try reader.readCount())
    case .function: self = .function(try reader.readCount(), at: try reader.readText())
    case .printed: self = .printed
    case .wentOn:
      self = .wentOn(
        function: try reader.readCount(),
        try reader.readAnswer().mapError { TaskError(message: $0) })
    case .callFailed:
      self = .callFailed(function: try reader.readCount(), try reader.read())
    case .ofStub:
      let function = try reader.readCount()
      let item = try EffectLog.Item(from: &reader)
      // A stub does nothing in the name of another stub.
      if case .ofStub = item { throw ValueReader.Malformed() }
      self = .ofStub(function: function, item)
    case .stubAnswered:
      self = .stubAnswered(
        function: try reader.readCount(), isFine: try reader.readFlag(), try reader.readValues())
    case .revised: self = .revised(try reader.readText())
    case nil: throw ValueReader.Malformed()
    }
  }
}

/// An answer, or the message of an error.
private struct MessageError: Error {
  let message: String
}

extension Result where Success == [Value] {
  fileprivate func mapError(_ message: (Failure) -> String) -> Result<[Value], MessageError> {
    mapError { MessageError(message: message($0)) }
  }
}

extension ValueWriter {
  fileprivate mutating func write(_ answer: Result<[Value], MessageError>) {
    switch answer {
    case .success(let values):
      write(true)
      write(values) { $0.write($1) }
    case .failure(let error):
      write(false)
      writeText(error.message)
    }
  }
}

extension ValueReader {
  fileprivate mutating func readAnswer() throws(Malformed) -> Result<[Value], MessageError> {
    guard try readFlag() else { return .failure(MessageError(message: try readText())) }
    return .success(try readValues())
  }

  fileprivate mutating func readValues() throws(Malformed) -> [Value] {
    try readAll { reader throws(Malformed) in try reader.value() }
  }
}

extension Result where Success == [Value], Failure == MessageError {
  fileprivate func mapError<NewError: Error>(
    _ make: (String) -> NewError
  ) -> Result<[Value], NewError> {
    mapError { make($0.message) }
  }
}
