import Testing

@testable import Scenarios

@Suite struct LogRowTests {
  private func row(_ text: String) throws -> (LogRow, (String) throws -> LogColumn?) {
    var reader = try LogReader(source(text.utf8))
    return (try #require(try reader.next()).row, reader.column)
  }

  @Test("an empty cell, a null and a missing field are no value")
  func none() throws {
    let (cells, column) = try row("a,b\n,x\n")
    #expect(cells.value(try #require(try column("a"))) == nil)
    #expect(cells.value(try #require(try column("b"))) == "x")
    let (fields, field) = try row("{\"a\":null,\"b\":\"\",\"c\":0}\n")
    #expect(fields.value(try #require(try field("a"))) == nil)
    #expect(fields.value(try #require(try field("b"))) == "")
    #expect(fields.value(try #require(try field("c"))) == 0)
    #expect(fields.value(try #require(try field("d"))) == nil)
    #expect(LogRow.malformed("why").value(LogColumn(name: "a", index: 0)) == nil)
  }

  @Test("a name is text or an integer, and never empty")
  func name() throws {
    let (fields, field) = try row(
      "{\"a\":\"x\",\"b\":\"\",\"c\":12,\"d\":1.5,\"e\":true,\"f\":[\"x\"]}\n")
    let names = try ["a", "b", "c", "d", "e", "f", "g"].map { name in
      fields.name(try #require(try field(name)))
    }
    #expect(names == ["x", nil, "12", nil, nil, nil, nil])
  }

  @Test("a time is ISO 8601 or seconds, as text or as a number")
  func time() throws {
    let (fields, field) = try row(
      "{\"a\":\"1970-01-01 00:00:01\",\"b\":2,\"c\":0.5,\"d\":\"3.5\",\"e\":1e300,\"f\":\"x\",\"g\":true}"
    )
    let times = try ["a", "b", "c", "d", "e", "f", "g"].map { name in
      var clock = LogClock(try #require(try field(name)), format: .iso)
      return clock.time(of: fields)
    }
    #expect(times == [1_000_000, 2_000_000, 500_000, 3_500_000, nil, nil, nil])
    let (cells, column) = try row("a,b,c,d\n1970-01-01T00:00:01Z,2,nan,\n")
    let read = try ["a", "b", "c", "d"].map { name in
      var clock = LogClock(try #require(try column(name)), format: .seconds)
      return clock.time(of: cells)
    }
    #expect(read == [1_000_000, 2_000_000, nil, nil])
  }
}
