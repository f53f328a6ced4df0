import Testing

@testable import Scenarios

@Suite struct DeviationsCSVTests {
  @Test("a row has the columns of the header, quoted where necessary")
  func rows() throws {
    #expect(DeviationsCSV.header == "line,case,action,outcome,by,reason\r\n")
    #expect(
      DeviationsCSV.row(try .refused("push", "first, a \"coin\"", "a\nb", line: 7))
        == "7,\"a\nb\",push,refused,gate push,\"first, a \"\"coin\"\"\"\r\n")
    #expect(
      DeviationsCSV.row(try .failed("push", "bad", "a", line: 8))
        == "8,a,push,failed,payload,bad\r\n")
  }

  @Test("a written row is read back unchanged")
  func roundTrip() throws {
    let reasons = ["a,b", "\"", "\r\n", "é\u{0}", " x ", "a \"\u{301} b"]
    let text =
      DeviationsCSV.header
      + (try reasons.map { DeviationsCSV.row(try .refused("push", $0, "a", line: 1)) }).joined()
    var reader = try LogReader(source(text.utf8))
    let column = try #require(try reader.column("reason"))
    var read: [String] = []
    while let (_, row) = try reader.next() {
      if case .string(let reason)? = row.value(column) { read.append(reason) }
    }
    #expect(read == reasons)
  }
}
