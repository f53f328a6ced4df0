/// Lists, maps and texts in the state and in payloads.
extension Shape {
  static var lists: [Shape] {
    var shapes: [Shape] = []
    shapes.changed(
      "ticks", 200, isInSmallForm: true,
      by: "for _, r in ipairs(s.list) do r.id = r.id + 1 r.n.m = r.n.m + 1 end")
    shapes.changed(
      "filter", 200, by: "s.list = table.filter(s.list, function(r) return r.id % 2 == 0 end)")
    shapes.changed(
      "sort", 200,
      by: "table.sort(s.list, function(a, b) return a.id * 7919 % 10473 < b.id * 7919 % 10473 end)")
    shapes.changed(
      "reverse", 200,
      by: """
        local list, n = s.list, #s.list
        for i = 1, n // 2 do list[i], list[n + 1 - i] = list[n + 1 - i], list[i] end
        """)
    shapes.changed(
      "moving", 200, by: "for i = #s.list, 1, -1 do s.map['k' .. i] = table.remove(s.list) end")
    shapes.changed(
      "maps", 200,
      by: """
        for i in ipairs(s.list) do s.map['k' .. i] = i end
        for key in pairs(s.map) do s.map[key] = nil end
        """)
    shapes.changed(
      "longkeys", 200, isInSmallForm: true,
      by: "for i = 1, #s.list do s.map[('k'):rep(60) .. i] = i end")
    // To move an element along the list takes half an instruction of the machine; all else, some thousands.
    shapes.changed(
      "removefirst", 20, by: "while #s.list > 0 do table.remove(s.list, 1) end")
    shapes.changed(
      "insertfirst", 20, by: "for i = 1, #s.list do table.insert(s.list, 1, { id = -i }) end")
    shapes.played("append", 30) { _ in
      """
      state { list = list {} }
      action.add { id = integer }
      function reduce.add(s, a) s.list[#s.list + 1] = { id = a.id } end
      """
    } body: { size in
      "for i = 1, \(size) do pass.add { id = i } end"
    }
    shapes.played("queuedlist", 30) { size in
      """
      state { list = list {} }
      action.add { id = integer }
      function reduce.add(s, a)
        s.list[#s.list + 1] = { id = a.id }
        if #s.list > \(size) then table.remove(s.list, 1) end
      end
      """
    } body: { size in
      "for i = 1, \(2 * size) do pass.add { id = i } end"
    }
    shapes.played("viewover", 200) { _ in
      touched("function view.sum(s)")
    } body: { size in
      "pass.fill { count = \(size) } for i = 1, 5 do pass.touch() view.sum() end"
    }
    shapes.played("invariantover", 200) { _ in
      touched("function invariant.sum(s)")
    } body: { size in
      "pass.fill { count = \(size) } for i = 1, 5 do pass.touch() end"
    }
    shapes.played("payloadlist", 100) { _ in
      """
      state { list = list {} }
      action.put { list = list_of(integer) }
      function reduce.put(s, a) s.list = a.list end
      """
    } body: { size in
      """
      local list = {}
      for i = 1, \(size) do list[i] = i end
      for i = 1, 5 do list[1] = -i pass.put { list = list } end
      """
    }
    return shapes
  }

  /// A flow of a list, of which an action changes one record, with a function that reads all of them.
  private static func touched(_ head: String) -> String {
    """
    state { list = list {} }
    action.fill { count = integer }
    action.touch {}
    function reduce.fill(s, a) for i = 1, a.count do s.list[i] = { id = i, n = { m = i } } end end
    function reduce.touch(s) s.list[1].id = s.list[1].id + 1 end
    \(head)
      local sum = 1
      for _, r in ipairs(s.list) do sum = sum + r.id + r.n.m end
      return sum
    end
    """
  }

  static var texts: [Shape] {
    var shapes: [Shape] = []
    shapes.played("payloadtext", 10_000) { _ in
      texting
    } body: { size in
      "for i = 1, 10 do pass.put { key = 'k', text = ('x'):rep(\(size)) .. i } end"
    }
    shapes.played("foreigntext", 10_000) { _ in
      texting
    } body: { size in
      "for i = 1, 10 do pass.put { key = 'k', text = ('\\u{e4}'):rep(\(size)) .. i } end"
    }
    shapes.played("texts", 30) { _ in
      texting
    } body: { size in
      """
      for i = 1, \(size) do
        pass.put { key = ('k'):rep(60) .. i, text = ('x'):rep(100) .. i }
      end
      """
    }
    shapes.played("secrets", 30) { _ in
      """
      state { users = map_of { { password = string { secret = true } }, key = string } }
      action.put { key = string, text = string { secret = true } }
      function reduce.put(s, a) s.users[a.key] = { password = a.text } end
      """
    } body: { size in
      """
      for i = 1, \(size) do pass.put { key = 'u' .. i, text = 'a secret ' .. i } end
      print('a text')
      """
    }
    shapes.played("patterns", 1_000) { _ in
      """
      state { k = 0 }
      action.go { count = integer }
      function reduce.go(s, a)
        local words = {}
        for i = 1, a.count do words[i] = 'w' .. i end
        local text = table.concat(words, ' '):gsub('w', 'v')
        for _ in text:gmatch('%a%d+') do s.k = s.k + 1 end
      end
      """
    } body: { size in
      "pass.go { count = \(size) }"
    }
    return shapes
  }

  private static let texting = """
    state { map = map {} }
    action.put { key = string, text = string }
    function reduce.put(s, a) s.map[a.key] = a.text end
    """
}

extension [Shape] {
  /// Adds a shape of a list of records that is filled and then changed.
  fileprivate mutating func changed(
    _ name: String, _ base: Int, isInSmallForm: Bool = false, by change: String
  ) {
    played(name, base, isInSmallForm: isInSmallForm) { _ in
      """
      state { list = list {}, map = map {} }
      action.fill { count = integer }
      action.change {}
      function reduce.fill(s, a) for i = 1, a.count do s.list[i] = { id = i, n = { m = i } } end end
      function reduce.change(s) \(change) end
      """
    } body: { size in
      "pass.fill { count = \(size) } pass.change()"
    }
  }
}
