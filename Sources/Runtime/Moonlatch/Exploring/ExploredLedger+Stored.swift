import LuaRuntime
import StateBlocks

// What is explored is kept in checkpoints, in the bytes in which journals keep the same things.

extension ExploredLedger.Part {
  /// Writes which part it is.
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .option(let gatekeeper, let option):
      writer.writeByte(0)
      writer.write(GatekeeperOption(gatekeeper: gatekeeper, option: option))
    case .gatekeeper(let name):
      writer.writeByte(1)
      writer.writeText(name)
    case .timers: writer.writeByte(2)
    case .memory(let machine):
      writer.writeByte(3)
      writer.writeText(machine)
    case .effects: writer.writeByte(4)
    case .time: writer.writeByte(5)
    }
  }

  /// Reads what `write(to:)` has written.
  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0:
      let option: GatekeeperOption = try reader.read()
      self = .option(gatekeeper: option.gatekeeper, option: option.option)
    case 1: self = .gatekeeper(try reader.readText())
    case 2: self = .timers
    case 3: self = .memory(machine: try reader.readText())
    case 4: self = .effects
    case 5: self = .time
    default: throw ValueReader.Malformed()
    }
  }
}

extension ExploredLedger.Content {
  /// Writes what stands there.
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .held(let name):
      writer.writeByte(0)
      writer.writeText(name)
    case .options(let options):
      writer.writeByte(1)
      writer.write(options.sorted { $0.key < $1.key }) {
        $0.writeText($1.key)
        $0.writeText($1.value)
      }
    case .timers(let timers):
      writer.writeByte(2)
      writer.write(timers)
    case .memory(let memories):
      writer.writeByte(3)
      writer.write(memories)
    case .effects(let effects):
      writer.writeByte(4)
      writer.write(effects)
    case .time(let time):
      writer.writeByte(5)
      writer.writeInteger(time)
    }
  }

  /// Reads what `write(to:)` has written.
  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .held(by: try reader.readText())
    case 1:
      var options: [String: String] = [:]
      for _ in 0..<(try reader.readLength()) {
        options[try reader.readText()] = try reader.readText()
      }
      self = .options(options)
    case 2: self = .timers(try reader.readAll())
    case 3: self = .memory(try reader.readAll())
    case 4: self = .effects(try reader.readAll())
    case 5: self = .time(try reader.readInteger())
    default: throw ValueReader.Malformed()
    }
  }
}

extension ExploredChain: Stored {
  func write(to writer: inout ValueWriter) {
    let passages = passages.sorted {
      ($0.key.gatekeeper, $0.key.option) < ($1.key.gatekeeper, $1.key.option)
    }
    writer.write(passages) {
      $0.write($1.key)
      $0.write($1.value)
    }
    writer.write(scopeInstances.sorted { $0.key < $1.key }) {
      $0.writeText($1.key)
      $0.write($1.value)
    }
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init()
    for _ in 0..<(try reader.readLength()) {
      passages[try reader.read()] = try reader.readFlag()
    }
    for _ in 0..<(try reader.readLength()) {
      scopeInstances[try reader.readText()] = try reader.readFlag()
    }
  }
}

extension ExploredAction: Stored {
  func write(to writer: inout ValueWriter) {
    writer.writeText(name)
    writer.write(payload)
    writer.write(transition) { $0.writeCount($1) }
    writer.write(chain)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      name: try reader.readText(), payload: try reader.value(),
      transition: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readCount()
      },
      chain: try reader.read())
  }
}

extension ExploredTimer.Owner: Stored {
  func write(to writer: inout ValueWriter) {
    switch self {
    case .nobody: writer.writeByte(0)
    case .state(let state):
      writer.writeByte(1)
      writer.write(state)
    case .stateEffect(let state):
      writer.writeByte(2)
      writer.write(state)
    case .scope(let name):
      writer.writeByte(3)
      writer.writeText(name)
    }
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .nobody
    case 1: self = .state(try reader.read())
    case 2: self = .stateEffect(try reader.read())
    case 3: self = .scope(try reader.readText())
    default: throw ValueReader.Malformed()
    }
  }
}

extension ExploredTimer: Stored {
  func write(to writer: inout ValueWriter) {
    writer.writeInteger(after)
    writer.write(every) { $0.writeInteger($1) }
    writer.write(owner)
    writer.write(action)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      after: try reader.readInteger(),
      every: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readInteger()
      },
      owner: try reader.read(), action: try reader.read())
  }
}

extension ExploredMemory: Stored {
  func write(to writer: inout ValueWriter) {
    writer.write(state)
    writer.write(paths) { $0.writeText($1) }
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(state: try reader.read(), paths: try reader.readTexts())
  }
}

extension ExploredEffect: Stored {
  func write(to writer: inout ValueWriter) {
    writer.writeText(name)
    writer.writeText(title)
    writer.writeCount(ordinal)
    writer.write(state) { $0.write($1) }
    writer.write(scope) { $0.writeText($1) }
    writer.writeText(action)
    writer.write(payload)
    writer.write(chain)
  }

  init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      name: try reader.readText(), title: try reader.readText(), ordinal: try reader.readCount(),
      state: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.read(ActiveState.self)
      },
      scope: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.readText()
      },
      action: try reader.readText(), payload: try reader.value(), chain: try reader.read())
  }
}
