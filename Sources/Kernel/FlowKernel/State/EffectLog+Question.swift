import FlowLanguage
import LuaRuntime
import Platform

extension EffectLog {
  /// A question of an effect, identified by its kind, its name and its arguments.
  package struct Question: Equatable {
    /// The numbers are never reused.
    package enum Kind: UInt8 {
      case now = 1, random, dispatch, after, cancel, may, mayPass, holder, view, call
    }

    /// The encoded arguments; if they are longer than `most` bytes, their digest and an excerpt.
    private enum Arguments: Equatable {
      static let most = 1_024

      case whole([UInt8])
      case digest([UInt8], excerpt: String)
    }

    package let kind: Kind
    /// The name of the action, gatekeeper, view or capability; empty if there is none.
    package let name: String
    private let arguments: Arguments

    package static func == (left: Self, right: Self) -> Bool {
      left.kind == right.kind && ExactText(left.name) == ExactText(right.name)
        && left.arguments == right.arguments
    }
  }
}

extension EffectLog.Question {
  /// Creates a question.
  ///
  /// - Parameter shown: returns an argument as it may be shown; of long arguments only that is stored.
  init(
    _ kind: Kind, _ name: String = "", _ arguments: some Sequence<Value> = [Value](),
    shown: (Value) -> String
  ) {
    var writer = ValueWriter()
    for argument in arguments { writer.write(argument) }
    let bytes = writer.bytes
    self.init(
      kind: kind, name: name,
      arguments: bytes.count <= Arguments.most
        ? .whole(bytes)
        : .digest(
          SHA256.digest(of: bytes), excerpt: arguments.map(shown).joined(separator: ", ")))
  }

  /// Returns the question with the current name of its action.
  func renaming(_ names: ActionNames) -> Self {
    switch kind {
    case .dispatch, .after, .cancel, .may:
      Self(kind: kind, name: names[name], arguments: arguments)
    case .now, .random, .mayPass, .holder, .view, .call: self
    }
  }

  /// Returns the arguments as they may be shown, one by one; of long ones an excerpt.
  package func texts(of shown: (Value) -> String) -> [String] {
    switch arguments {
    case .digest(_, let excerpt): return [excerpt]
    case .whole(let bytes):
      return bytes.withUnsafeBytes { buffer in
        var reader = ValueReader(buffer)
        var texts: [String] = []
        while !reader.isAtEnd, let value = try? reader.value() { texts.append(shown(value)) }
        return texts
      }
    }
  }
}

extension EffectLog.Question: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeByte(kind.rawValue)
    writer.writeText(name)
    switch arguments {
    case .whole(let bytes):
      writer.write(true)
      writer.writeBytes(bytes)
    case .digest(let digest, let excerpt):
      writer.write(false)
      writer.writeBytes(digest)
      writer.writeText(excerpt)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw ValueReader.Malformed() }
    let name = try reader.readText()
    self.init(
      kind: kind, name: name,
      arguments: try reader.readFlag()
        ? .whole(try reader.readBytes())
        : .digest(try reader.readBytes(), excerpt: try reader.readText()))
  }
}
