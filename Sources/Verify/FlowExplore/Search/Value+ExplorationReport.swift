import FlowLanguage
import LuaRuntime

extension Value {
  /// Returns a number with grouped digits, such as `1,146`.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in "\(number)".reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
