/// The flows that are measured, and what the bare side runs.
enum Flows {
  /// The rule and the reducer that both sides run, letter for letter.
  private static let counterFunctions = """
    function gate.increment(s, a)
      return s.count >= 0, "the count is negative"
    end
    function reduce.increment(s, a)
      s.count = s.count + 1
    end
    """

  static let counter = """
    state { count = 0 }
    action.increment {}
    \(counterFunctions)
    """

  /// The counter as plain Lua: the state, the payload, the gate rule and the reducer.
  static let bareCounter = """
    local gate, reduce = {}, {}
    \(counterFunctions)
    return { count = 0 }, {}, gate.increment, reduce.increment
    """

  /// Ten counters side by side, each with its own action, gate rule and reducer.
  static let tenSlices = (1...10).map { number in
    """
    state { slice\(number) = { count = 0 } }
    action.increment\(number) {}
    function gate.increment\(number)(s, a)
      return s.slice\(number).count >= 0, "the count is negative"
    end
    function reduce.increment\(number)(s, a)
      s.slice\(number).count = s.slice\(number).count + 1
    end
    """
  }.joined(separator: "\n")

  /// A list of records, one of which is toggled; `fill` makes the list longer, and `put` takes
  /// records in and looks at how many they are.
  static let records = """
    state { items = list {}, taken = 0 }
    action.fill { count = integer { min = 1 } }
    action.toggle { index = integer { min = 1 } }
    action.put { records = any }
    function reduce.fill(s, a)
      local items = s.items
      for i = #items + 1, #items + a.count do
        items[i] = { title = "item " .. i, done = false, rank = i }
      end
    end
    function gate.toggle(s, a)
      return s.items[a.index] ~= nil, "there is no such item"
    end
    function reduce.toggle(s, a)
      local item = s.items[a.index]
      item.done = not item.done
    end
    function reduce.put(s, a)
      s.taken = s.taken + #a.records
    end
    """

  /// The same records in a map, by their names or numbers: the shape that the documentation of
  /// Redux calls normalized.
  static func recordsByKey(_ type: String, _ key: String) -> String {
    """
    state { items = map {}, count = 0 }
    action.fill { count = integer { min = 1 } }
    action.toggle { key = \(type) }
    function reduce.fill(s, a)
      for i = s.count + 1, s.count + a.count do
        s.items[\(key)] = { title = "item " .. i, done = false, rank = i }
      end
      s.count = s.count + a.count
    end
    function gate.toggle(s, a)
      return s.items[a.key] ~= nil, "there is no such item"
    end
    function reduce.toggle(s, a)
      local item = s.items[a.key]
      item.done = not item.done
    end
    """
  }

  /// As many such records in raw tables, in the form in which the bare side takes a state.
  static func bareRecords(_ count: Int) -> String {
    """
    local items = {}
    for i = 1, \(count) do
      items[i] = { title = "item " .. i, done = false, rank = i }
    end
    return { items = items, count = #items }, {}, type, type
    """
  }

  private static let thirtyViews = (1...30).map { number in
    "function view.view\(number)(s) return s.count + \(number) end"
  }.joined(separator: "\n")

  /// The counter with 30 views, each of which reads what changes.
  static let readViews = counter + "\n" + thirtyViews

  /// The same as plain Lua, which calls every view after the reducer and compares its value with the one before; it is
  /// called where an invariant would be.
  static let bareReadViews = """
    local gate, reduce, view = {}, {}, {}
    \(counterFunctions)
    \(thirtyViews)
    local views, values = {}, {}
    for number = 1, 30 do views[number] = view["view" .. number] end
    local function watch(s)
      for number = 1, #views do
        local value = views[number](s)
        if value ~= values[number] then values[number] = value end
      end
      return true
    end
    return { count = 0 }, {}, gate.increment, reduce.increment, watch
    """

  /// The counter with views, the first of which reads what changes.
  static func views(_ count: Int) -> String {
    let fields = (1...count).map { "field\($0) = \($0)" }.joined(separator: ", ")
    let views = (1...count).map { number in
      let field = number == 1 ? "count" : "field\(number)"
      return "function view.view\(number)(s) return s.\(field) end"
    }
    return counter.replacing("count = 0 }", with: "count = 0, \(fields) }", maxReplacements: 1)
      + "\n" + views.joined(separator: "\n")
  }
}
