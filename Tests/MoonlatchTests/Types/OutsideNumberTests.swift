import LuaRuntime
import Testing

@testable import FlowLanguage

@Suite struct OutsideNumberTests {
  @Test("digits that do not fit an integer are not rounded to one")
  func beyond() throws {
    #expect(OutsideNumber.value("-9223372036854775808") == .integer(.min))
    for text in ["-9223372036854775809", "-9223372036854776832"] {
      let value = try #require(OutsideNumber.value(text))
      #expect(PayloadCheck.wholeNumber(value) == nil, "\(text)")
    }
    // As a number with a point it is what it says.
    #expect(OutsideNumber.value("-9223372036854775808.0") == .number(-0x1p63))
    #expect(OutsideNumber.value("9223372036854775808") == .number(0x1p63))
    #expect(OutsideNumber.value("1e400") == nil)
  }
}
