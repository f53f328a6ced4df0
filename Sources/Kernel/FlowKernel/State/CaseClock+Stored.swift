import LuaRuntime

extension CaseClock: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.write(born) { $0.writeInteger($1) }
    writer.writeInteger(now)
    writer.writeInteger(wall)
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    let born = try reader.readOptional { reader throws(ValueReader.Malformed) in
      try reader.readInteger()
    }
    let (now, wall) = (try reader.readInteger(), try reader.readInteger())
    guard let clock = CaseClock(born: born, now: now, wall: wall) else {
      throw ValueReader.Malformed()
    }
    self = clock
  }
}
