import LuaRuntime
import StateBlocks

// Checkpoints encode states as journals encode the same types.

extension CanonicalState.Part {
  /// Writes the identity of the part.
  package func write(to writer: inout ValueWriter) {
    switch self {
    case .option(let gatekeeper, let option):
      writer.writeByte(0)
      writer.write(GatekeeperOption(gatekeeper: gatekeeper, option: option))
    case .gatekeeper(let name):
      writer.writeByte(1)
      writer.writeText(name)
    case .timers: writer.writeByte(2)
    case .historyValues(let machine):
      writer.writeByte(3)
      writer.writeText(machine)
    case .effects: writer.writeByte(4)
    case .time: writer.writeByte(5)
    case .stateTimers(let slot):
      writer.writeByte(6)
      writer.write(slot)
    case .timerOrder(let delay):
      writer.writeByte(7)
      writer.writeInteger(delay)
    }
  }

  /// Reads a part written by `write(to:)`.
  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    switch try reader.byte() {
    case 0:
      let option: GatekeeperOption = try reader.read()
      self = .option(gatekeeper: option.gatekeeper, option: option.option)
    case 1: self = .gatekeeper(try reader.readText())
    case 2: self = .timers
    case 3: self = .historyValues(machine: try reader.readText())
    case 4: self = .effects
    case 5: self = .time
    case 6: self = .stateTimers(try reader.read())
    case 7: self = .timerOrder(delay: try reader.readInteger())
    default: throw ValueReader.Malformed()
    }
  }
}

extension CanonicalState.Content {
  /// Writes the content.
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
    case .historyValues(let values):
      writer.writeByte(3)
      writer.write(values)
    case .effects(let effects):
      writer.writeByte(4)
      writer.write(effects)
    case .time(let time):
      writer.writeByte(5)
      writer.writeInteger(time)
    case .stateTimers(let timers):
      writer.writeByte(6)
      writer.write(timers)
    case .timerOrder(let order):
      writer.writeByte(7)
      writer.write(order)
    }
  }

  /// Reads content written by `write(to:)`.
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
    case 3: self = .historyValues(try reader.readHistoryValues())
    case 4: self = .effects(try reader.readAll())
    case 5: self = .time(try reader.readInteger())
    case 6: self = .stateTimers(try reader.readAll())
    case 7: self = .timerOrder(try reader.read())
    default: throw ValueReader.Malformed()
    }
  }
}
