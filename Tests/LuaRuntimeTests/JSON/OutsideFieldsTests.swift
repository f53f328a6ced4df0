import Testing

@testable import LuaRuntime

@Suite struct OutsideFieldsTests {
  private func refusal<Read>(
    _ value: Value, _ read: (OutsideFields) throws(OutsideFields.Malformed) -> Read
  ) -> String? {
    do throws(OutsideFields.Malformed) {
      _ = try read(OutsideFields(value))
      return nil
    } catch {
      return "\(error.path): \(error.reason)"
    }
  }

  @Test("a number that is not whole or out of range is rejected")
  func integers() {
    let all =
      [
        (.integer(.max), false), (.integer(.min), false), (-1, false), (0, true), (1.0, true),
        (.integer(1 << 53), true), (.integer(1 << 53 + 1), false), (1.5, false), (-0.0, true),
        (.number(.nan), false), (.number(.infinity), false), (1e300, false), ("1", false),
        ([], false),
      ] as [(Value, Bool)]
    for (value, isOne) in all {
      let told = refusal(["n": value]) { (fields) throws(OutsideFields.Malformed) in
        try fields.integer("n")
      }
      #expect((told == nil) == isOne, "\(told ?? "")")
      if let told {
        #expect(told.hasPrefix("n: n takes a whole number from 0 to 9007199254740992, not "))
      }
    }
  }

  @Test("missing and null fields are absent, and fields of a wrong type are errors")
  func missing() throws {
    let fields = OutsideFields(["a": .nil])
    #expect(try fields.integer("a") == nil)
    #expect(try fields.text("b") == nil)
    #expect(try fields.texts("a").isEmpty)
    #expect(try !fields.flag("a"))
    #expect(throws: OutsideFields.Malformed.self) { try fields.required("a") }
    #expect(throws: OutsideFields.Malformed.self) { try OutsideFields(["a": [1]]).texts("a") }
    #expect(throws: OutsideFields.Malformed.self) { try OutsideFields(["a": 1]).flag("a") }
    #expect(throws: OutsideFields.Malformed.self) { try OutsideFields(["a": 1]).object("a") }
  }

  @Test("an error has the full path of its field")
  func places() {
    let value: Value = ["rows": [["n": 1], ["n": -1]]]
    let told = refusal(value) { (fields) throws(OutsideFields.Malformed) in
      for row in try fields.objects("rows") { _ = try row.required("n") }
    }
    #expect(told?.hasPrefix("rows[2].n: ") == true)
    var lines = JSONLines("\n\r\n{\"rows\":[{\"n\":1},{\"n\": -1}]}\r\n")
    #expect(throws: Never.self) { try lines.next() }
    let place = lines.malformed(
      OutsideFields.Malformed(path: StatePath(["rows", 2, "n"]), reason: "no"))
    #expect((place.line, place.column) == (3, 24))
  }
}
