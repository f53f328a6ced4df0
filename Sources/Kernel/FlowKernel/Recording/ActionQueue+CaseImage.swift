import LuaRuntime

extension ActionQueue.Item: Stored {
  package func write(to writer: inout ValueWriter) {
    writer.write(event)
    writer.write(owner)
    writer.writeInteger(number)
    writer.write(repeats)
    writer.write(source) { $0.write($1) }
    writer.write(stale) {
      $0.write($1.state)
      $0.writeCount($1.since)
    }
  }

  package init(from reader: inout ValueReader) throws(ValueReader.Malformed) {
    self.init(
      event: try reader.read(), owner: try reader.read(), number: try reader.readInteger(),
      repeats: try reader.readFlag(),
      source: try reader.readOptional { reader throws(ValueReader.Malformed) in
        try reader.read()
      })
    stale = try reader.readOptional { reader throws(ValueReader.Malformed) in
      (state: try reader.read(), since: try reader.readCount())
    }
  }
}
