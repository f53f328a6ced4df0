import Foundation
import LuaRuntime
import Testing

/// `date`, `date.add_months` and `born`.
@Suite struct DatesTests {
  /// Returns the lines that an effect with this body prints.
  private func printed(_ body: String) throws -> [String] {
    let trial = try Trial(
      """
      action.go {}
      local function say(d)
        print(("%d-%02d-%02d %02d:%02d:%02d w%d y%d"):format(
          d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday))
      end
      function effect.go()
      \(body)
      end
      """)
    try trial.play("go")
    return trial.printed.take() + trial.told()
  }

  @Test("a number of seconds is converted to a date of the Gregorian calendar and a time, in UTC")
  func date() throws {
    #expect(
      try printed(
        """
        for _, t in ipairs { 0, 86399, -1, 951782400, 1582934400, 1.9, -0.5, 1700000000.999,
          -62135596800, 253402300799, 253402300799.5, -2208988800, 4107542400 } do say(date(t)) end
        """) == [
          "1970-01-01 00:00:00 w5 y1", "1970-01-01 23:59:59 w5 y1", "1969-12-31 23:59:59 w4 y365",
          "2000-02-29 00:00:00 w3 y60", "2020-02-29 00:00:00 w7 y60", "1970-01-01 00:00:01 w5 y1",
          "1969-12-31 23:59:59 w4 y365", "2023-11-14 22:13:20 w3 y318", "1-01-01 00:00:00 w2 y1",
          "9999-12-31 23:59:59 w6 y365", "9999-12-31 23:59:59 w6 y365",
          "1900-01-01 00:00:00 w2 y1", "2100-03-01 00:00:00 w2 y60",
        ])
  }

  @Test("dates agree with Foundation's calendar, day by day over centuries")
  func calendar() throws {
    let days = Array(stride(from: -141_000, through: 2_932_896, by: 3_571)) + Array(10_900...11_400)
    let found = try printed(
      "for _, d in ipairs { \(days.map(String.init).joined(separator: ", ")) } do say(date(d * 86400)) end"
    )
    // In 1582, 141,427 days before 1970, Foundation goes over to the calendar from before.
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let expected = days.map { day in
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
      let yearDay = calendar.ordinality(of: .day, in: .year, for: date) ?? 0
      return String(
        format: "%d-%02d-%02d 00:00:00 w%d y%d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
        parts.weekday ?? 0, yearDay)
    }
    #expect(found == expected)
  }

  @Test("adding months keeps the day and time, limited to the last day of the month")
  func months() throws {
    #expect(
      try printed(
        """
        local t = 1706659200 + 3661  -- 2024-01-31 01:01:01
        for _, n in ipairs { 0, 1, 2, 13, -1, -2, -11, 12, 1200, 2.0 } do say(date(date.add_months(t, n))) end
        print(date.add_months(t, 1) - t, math.type(date.add_months(t, 1)), date.add_months(t + 0.25, 1) - t)
        say(date(date.add_months(-86400, 2)))
        say(date(date.add_months(253402300799, -12 * 9998)))
        """) == [
          "2024-01-31 01:01:01 w4 y31", "2024-02-29 01:01:01 w5 y60", "2024-03-31 01:01:01 w1 y91",
          "2025-02-28 01:01:01 w6 y59", "2023-12-31 01:01:01 w1 y365",
          "2023-11-30 01:01:01 w5 y334",
          "2023-02-28 01:01:01 w3 y59", "2025-01-31 01:01:01 w6 y31", "2124-01-31 01:01:01 w2 y31",
          "2024-03-31 01:01:01 w1 y91", "2505600\tinteger\t2505600.25",
          "1970-02-28 00:00:00 w7 y59",
          "1-12-31 23:59:59 w2 y365",
        ])
  }

  @Test("a time outside of the years 1 to 9999, or an invalid number of months, is an error")
  func mistakes() throws {
    let range =
      "takes seconds since 1970, in the years 1 to 9999, such as born() + now(), not"
    #expect(
      try printed(
        """
        local function try(f, ...) print((select(2, pcall(f, ...)):gsub("^.-:%d+: ", ""))) end
        for _, t in ipairs { 0/0, 1/0, -1/0, 253402300800, -62135596801, 1e308, math.mininteger, "3d", true } do
          try(function() return date(t) end)
        end
        try(function() return date() end)
        try(function() return date.add_months(1e300, 1) end)
        for _, n in ipairs { 0.5, 0/0, 1/0, "1", {} } do try(function() date.add_months(0, n) end) end
        try(function() date.add_months(0) end)
        for _, n in ipairs { 12 * 8030, -12 * 1970, math.maxinteger, math.mininteger, 1e15 } do
          try(function() return date.add_months(0, n) end)
        end
        """
      ).map {
        $0.replacing(/table: ?\S*/, with: "table").replacing("-nan", with: "nan")
      } == [
        "date \(range) nan", "date \(range) inf", "date \(range) -inf",
        "date \(range) 253402300800",
        "date \(range) -62135596801", "date \(range) 1e+308", "date \(range) -9223372036854775808",
        "date \(range) \"3d\"", "date \(range) true", "date \(range) nil",
        "date.add_months \(range) 1e+300",
        "date.add_months takes a whole number of months, not 0.5",
        "date.add_months takes a whole number of months, not nan",
        "date.add_months takes a whole number of months, not inf",
        "date.add_months takes a whole number of months, not 1",
        "date.add_months takes a whole number of months, not table",
        "date.add_months takes a whole number of months, not nil",
        "date.add_months: 96360 months after the year 1970 is outside of the years 1 to 9999",
        "date.add_months: -23640 months after the year 1970 is outside of the years 1 to 9999",
        "date.add_months: 9223372036854775807 months after the year 1970 is outside of the years 1 to 9999",
        "date.add_months: -9223372036854775808 months after the year 1970 is outside of the years 1 to 9999",
        "date.add_months: 1e+15 months after the year 1970 is outside of the years 1 to 9999",
      ])
  }

  @Test("dates are pure, available while loading and in reducers, gates and views, and read-only")
  func everywhere() throws {
    let trial = try Trial(
      """
      state { year = date(0).year, due = 0, seen = 0 }
      action.go {} action.set {}
      function gate.go(s) return date(now()).year == 1970, "too late" end
      function reduce.go(s) s.due = date.add_months(now(), 1) s.seen = born() end
      function reduce.set() date.today = 1 end
      function view.day(s) return date(s.due).month + born() end
      function invariant.born() return born() == 0 end
      """)
    #expect(try trial.state("year") == 1970)
    try trial.advance(5)
    try trial.play("go")
    #expect(try trial.state("due") == 2_678_405.0)
    #expect(try trial.state("seen") == 0.0)
    #expect(try trial.host.view("day") == 2.0 as Value)
    #expect(try trial.play("set") == "flow.lua:5: this table is read-only: \"today\" cannot be set")
    #expect(
      faults(of: "state { at = born() }") == [
        "flow.lua:1: born() can be called once the flow has loaded: each case has its own"
      ])
  }

  @Test("a flow's own date, born, all and race take precedence")
  func own() throws {
    let trial = try Trial(
      """
      state {}
      function date() return "mine" end
      local born = 7
      function view.v() return date() .. born end
      """)
    #expect(try trial.host.view("v") == "mine7" as Value)
  }
}
