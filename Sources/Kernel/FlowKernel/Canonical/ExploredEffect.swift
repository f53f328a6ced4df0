import LuaRuntime

/// An effect that waits for something outside of the flow.
package struct ExploredEffect: Hashable, Sendable {
  /// The name by which a scenario pauses it.
  package let name: String
  /// Its title in messages, and its number among the effects of that title.
  package let title: String
  package let ordinal: Int
  /// The state to which the effect belongs; nil for an effect of an action.
  package let state: ActiveState?
  /// The position of the scope in which it waits.
  package let instance: Int
  /// The action that it follows.
  let began: QueuedAction

  /// The payload of the action that it follows.
  package var payload: Value { began.payload }

  /// Sorts effects, so that equal sets of them are equal.
  ///
  /// The order in which they began matters only when a scope closes around them, so it is kept only for effects in
  /// scopes.
  package static func inOrder(_ all: [ExploredEffect]) -> [ExploredEffect] {
    if all.count < 2 { return all }
    let keyed = all.enumerated().map { offset, effect in
      let isScoped = effect.instance != CanonicalNumbering.root
      var writer = ValueWriter()
      if isScoped { writer.writeCount(effect.instance) } else { writer.write(effect) }
      return (effect, isScoped: isScoped, key: writer.bytes, offset: offset)
    }
    return keyed.sorted {
      if $0.isScoped != $1.isScoped { return $1.isScoped }
      if $0.key != $1.key { return $0.key.lexicographicallyPrecedes($1.key) }
      return $0.offset < $1.offset
    }.map(\.0)
  }
}

extension ExploredEffect: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(name)
    writer.writeText(title)
    writer.writeCount(ordinal)
    writer.write(state) { $0.write($1) }
    writer.writeCount(instance)
    writer.write(began)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      name: try reader.readText(), title: try reader.readText(), ordinal: try reader.readCount(),
      state: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.read(ActiveState.self)
      },
      instance: try reader.readCount(), began: try reader.read())
  }
}
