import LuaRuntime

/// What a durable effect was told, in order, so that it can be told again when it is run again.
///
/// Everything that an effect learns comes through the host, so this is all that it takes to lead it to where it was.
/// It belongs to the engine's thread.
final class EffectLog {
  /// What was asked: of it only as much is kept as tells it from another question.
  struct Question: Equatable {
    /// As messages name it: `charge`, `dispatch paid`, `random`.
    let name: String
    /// Of the arguments.
    let hash: UInt64
  }

  enum Item {
    /// What it was given besides the payload.
    case began([Value])
    /// A question that was answered at once, with what.
    case answered(Question, Result<[Value], ScopeRefusal>)
    /// A capability was called.
    case called(Question)
    /// It, or a function of it, sleeps until then, by the timer of that number; 0 where it only lets others go first.
    case slept(until: Int, timer: Int)
    /// A function of it begins, as an effect of that number.
    case function(Int)
    /// It has printed something: a new text may print less, or more.
    case printed
    /// It, or the function of that number, has gone on with an answer.
    case wentOn(function: Int, Result<[Value], TaskError>)
  }

  /// So many bytes it keeps at most.
  static let most = 1 << 20

  /// All items, encoded.
  private(set) var bytes: [UInt8]
  /// What is told again, the next one first.
  private var again: ArraySlice<Item> = []
  /// The functions of it that have begun, by number: 0 is the effect itself.
  private(set) var functions: [Int] = []
  /// Whether a question is being answered: what that asks in turn is no question of the effect's.
  var isAnswering = false
  /// What is wrong, where it has asked something else than it did before.
  var deviation: String?
  /// Whether that has been told.
  var isOver = false

  init() { bytes = [] }

  /// What was told before, to be told again.
  init(telling bytes: [UInt8]) throws(ValueReader.Malformed) {
    self.bytes = bytes
    let items: Result<[Item], ValueReader.Malformed> = bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      var items: [Item] = []
      do throws(ValueReader.Malformed) {
        while !reader.isAtEnd { items.append(try Item(from: &reader)) }
        return .success(items)
      } catch {
        return .failure(error)
      }
    }
    again = try items.get()[...]
  }

  /// Whether it is being led to where it was.
  var isTellingAgain: Bool { !again.isEmpty }

  /// What is told next, again.
  var next: Item? { again.first { if case .printed = $0 { false } else { true } } }

  func takeNext() -> Item? {
    while takePrinted() {}
    return again.popFirst()
  }

  /// Whether it has printed here before.
  func takePrinted() -> Bool {
    guard case .printed? = again.first else { return false }
    again.removeFirst()
    return true
  }

  /// It has been led to where it was.
  func endTelling() { again = [] }

  /// Notes something new, and gives it encoded.
  func append(_ item: Item) -> [UInt8] {
    var writer = ValueWriter()
    item.write(to: &writer)
    bytes += writer.bytes
    return writer.bytes
  }

  /// A function of it begins, or it itself.
  func begin(_ number: Int) { functions.append(number) }

  /// Which function has that number among effects.
  func function(_ number: Int) -> Int { functions.lastIndex(of: number) ?? 0 }
}

/// Where a call of a capability stands in its effect, or in a function of it.
struct CallPosition {
  /// An attempt of a retry, or what stands around all of them.
  private struct Place {
    var path = ""
    var calls = 0
    var retries = 0
    var gatherings = 0

    func within(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
  }

  private var own = Place()
  /// The attempts under way, the innermost last.
  private var attempts: [Place] = []

  init() {}

  /// Those of a function that runs side by side with others.
  init(ofFunction number: Int, in path: String) { own.path = "\(path).\(number)" }

  private var place: Place {
    get { attempts.last ?? own }
    set {
      if attempts.isEmpty { own = newValue } else { attempts[attempts.count - 1] = newValue }
    }
  }

  /// The next call's: `2`, or `retry1.2` for the second in each attempt of the first retry, or `all1.2.1` for the
  /// first one of the second function of the first `all`.
  mutating func next() -> String {
    place.calls += 1
    return place.within("\(place.calls)")
  }

  /// Where functions stand that begin here side by side.
  mutating func nextFunctions(isRace: Bool) -> String {
    place.gatherings += 1
    return place.within("\(isRace ? "race" : "all")\(place.gatherings)")
  }

  mutating func beginRetry() {
    place.retries += 1
    attempts.append(Place(path: place.within("retry\(place.retries)")))
  }

  mutating func beginAttempt() { if !attempts.isEmpty { place = Place(path: place.path) } }

  mutating func endRetry() { _ = attempts.popLast() }
}

extension EffectLog.Question {
  init(_ name: String, _ arguments: some Sequence<Value>) {
    var writer = ValueWriter()
    for argument in arguments { writer.write(argument) }
    self.init(
      name: name,
      hash: writer.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }
}

extension EffectLog.Question: Stored {
  func write(to writer: inout ValueWriter) {
    writer.writeText(name)
    writer.writeWord(hash)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(name: try reader.readText(), hash: try reader.readWord())
  }
}

extension EffectLog.Item: Stored {
  /// These numbers are never given to anything else.
  private enum Tag: UInt8 { case began = 1, answered, called, slept, wentOn, function, printed }

  func write(to writer: inout ValueWriter) {
    switch self {
    case .began(let more):
      writer.writeByte(Tag.began.rawValue)
      writer.write(more) { $0.write($1) }
    case .answered(let question, let answer):
      writer.writeByte(Tag.answered.rawValue)
      writer.write(question)
      writer.write(answer.mapError(\.description))
    case .called(let question):
      writer.writeByte(Tag.called.rawValue)
      writer.write(question)
    case .slept(let due, let timer):
      writer.writeByte(Tag.slept.rawValue)
      writer.writeInteger(due)
      writer.writeCount(timer)
    case .function(let number):
      writer.writeByte(Tag.function.rawValue)
      writer.writeCount(number)
    case .printed: writer.writeByte(Tag.printed.rawValue)
    case .wentOn(let function, let answer):
      writer.writeByte(Tag.wentOn.rawValue)
      writer.writeCount(function)
      writer.write(answer.mapError(\.message))
    }
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch Tag(rawValue: try reader.byte()) {
    case .began:
      self = .began(
        try reader.readAll { reader throws(ValueReader.Malformed) in try reader.value() })
    case .answered:
      self = .answered(try reader.read(), try reader.readAnswer().mapError { ScopeRefusal($0) })
    case .called: self = .called(try reader.read())
    case .slept:
      self = .slept(until: try reader.readInteger(), timer: try reader.readCount())
    case .function: self = .function(try reader.readCount())
    case .printed: self = .printed
    case .wentOn:
      self = .wentOn(
        function: try reader.readCount(),
        try reader.readAnswer().mapError { TaskError(message: $0) })
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
    return .success(try readAll { reader throws(Malformed) in try reader.value() })
  }
}

extension Result where Success == [Value], Failure == MessageError {
  fileprivate func mapError<NewError: Error>(
    _ make: (String) -> NewError
  ) -> Result<[Value], NewError> {
    mapError { make($0.message) }
  }
}
