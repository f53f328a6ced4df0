import LuaRuntime

/// A type that is stored in entries and snapshots, as bytes whose format does not change between versions.
protocol Stored {
  func write(to writer: inout ValueWriter)
  init(from reader: inout ValueReader) throws(ValueReader.Malformed)
}

extension GatekeeperOption: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(gatekeeper)
    writer.writeText(option)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(gatekeeper: try reader.readText(), option: try reader.readText())
  }
}

extension HeldPassages.Held: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.write(option)
    writer.writeText(name)
    writer.writeInteger(revision)
    writer.writeCount(number)
    writer.writeInteger(time)
  }

  package convenience init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      try reader.read(), by: try reader.readText(), at: try reader.readInteger(),
      number: try reader.readCount(), time: try reader.readInteger())
  }
}

extension ActiveState: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(machine)
    writer.writeText(state)
    writer.write(keys) { $0.write($1) }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      machine: try reader.readText(), state: try reader.readText(),
      keys: try reader.readAll { reader throws(ValueReader.Malformed) in try reader.value() })
  }
}

extension Cause: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeInteger(revision)
    let passages = passages.sorted {
      ($0.key.gatekeeper, $0.key.option) < ($1.key.gatekeeper, $1.key.option)
    }
    writer.write(passages) {
      $0.write($1.key)
      $0.writeCount($1.value)
    }
    writer.write(scopeInstances.sorted { $0.key < $1.key }) {
      $0.writeText($1.key)
      $0.writeCount($1.value)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(revision: try reader.readInteger())
    for _ in 0..<(try reader.readLength()) {
      passages[try reader.read()] = try reader.readCount()
    }
    for _ in 0..<(try reader.readLength()) {
      scopeInstances[try reader.readText()] = try reader.readCount()
    }
  }
}

extension QueuedAction: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(name)
    writer.write(payload)
    writer.write(cause)
    writer.write(transition) { $0.writeCount($1) }
    writer.write(by) { $0.writeText($1) }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      name: try reader.readText(), payload: try reader.value(), cause: try reader.read(),
      transition: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readCount()
      },
      by: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readText()
      })
  }
}

extension PendingTimer.Owner: Stored {
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .nobody: writer.writeByte(0)
    case .state(let state):
      writer.writeByte(1)
      writer.write(state)
    case .stateEffect(let state):
      writer.writeByte(2)
      writer.write(state)
    case .instance(let number):
      writer.writeByte(3)
      writer.writeCount(number)
    case .effect(let number):
      writer.writeByte(4)
      writer.writeCount(number)
    case .postponed(let state):
      writer.writeByte(5)
      writer.write(state)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .nobody
    case 1: self = .state(try reader.read())
    case 2: self = .stateEffect(try reader.read())
    case 3: self = .instance(try reader.readCount())
    case 4: self = .effect(try reader.readCount())
    case 5: self = .postponed(try reader.read())
    default: throw ValueReader.Malformed()
    }
  }
}

extension PendingTimer.Event: Stored {
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .action(let action):
      writer.writeByte(0)
      writer.write(action)
    case .wake(let effect):
      writer.writeByte(1)
      writer.writeCount(effect)
    case .begin(let state):
      writer.writeByte(2)
      writer.write(state)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .action(try reader.read())
    case 1: self = .wake(try reader.readCount())
    case 2: self = .begin(try reader.read())
    default: throw ValueReader.Malformed()
    }
  }
}

extension PendingTimer: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeInteger(due)
    writer.writeCount(number)
    writer.write(event)
    writer.write(owner)
    writer.write(every) { $0.writeInteger($1) }
  }

  package convenience init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      due: try reader.readInteger(), number: try reader.readCount(), event: try reader.read(),
      owner: try reader.read(),
      every: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readInteger()
      })
  }
}

extension SeededRandom: Stored {
  package func write(to writer: inout ValueWriter) { writer.writeWord(state) }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(seed: try reader.readWord())
  }
}

extension CaseState.ScopeInstance: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(scope)
    writer.writeCount(number)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(scope: try reader.readText(), number: try reader.readCount())
  }
}

extension CaseState.Remembered: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.writeText(machine)
    writer.write(keys) { $0.write($1) }
    writer.writeText(state)
    writer.write(isDeep)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      machine: try reader.readText(),
      keys: try reader.readAll { reader throws(ValueReader.Malformed) in try reader.value() },
      state: try reader.readText(), isDeep: try reader.readFlag())
  }
}
