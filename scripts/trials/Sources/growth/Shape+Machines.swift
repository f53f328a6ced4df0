/// Machines, gatekeepers and records with machines.
extension Shape {
  static var machines: [Shape] {
    var shapes: [Shape] = []
    shapes.played("machines", 20) { size in
      """
      \(counter)
      \(each(size) { "action.a\($0) {} machine.m\($0) { initial = 'a', a = { a\($0) = 'b' }, b = { a\($0) = 'a' } }" })
      """
    } body: { size in
      "for i = 1, \(size) do pass['a' .. i]() end"
    }
    shapes.played("machinestaking", 10, isInSmallForm: true) { size in
      """
      \(counter)
      \(each(size) { "machine.m\($0) { initial = 'a', a = { go = 'b' }, b = { go = 'a' } }" })
      """
    } body: { _ in
      often
    }
    shapes.played("machinesguarded", 20) { size in
      """
      \(counter)
      local go_on = { to = 'b', when = function(s) return s.k >= 0, 'no' end }
      \(each(size) { "machine.m\($0) { initial = 'a', a = { go = go_on }, b = { go = 'a' } }" })
      """
    } body: { _ in
      often
    }
    shapes.played("machinesalways", 10) { size in
      """
      \(counter)
      local back = { to = 'a', when = function(s) return s.k >= 0 end }
      \(each(size) { "machine.m\($0) { initial = 'a', a = { go = 'b' }, b = { always = back } }" })
      """
    } body: { _ in
      often
    }
    shapes.played("states", 30) { size in
      """
      \(counter)
      action.next {}
      machine.m { initial = 's1', \(each(size, by: ", ") { "s\($0) = { next = 's\($0 % size + 1)' }" }) }
      """
    } body: { size in
      "for i = 1, \(size) do pass.next() end"
    }
    shapes.played("nestedstates", 20) { size in
      let states = each(size, by: ", ") {
        "s\($0) = { initial = 'a', a = { go = 'b' }, b = { go = 's\($0 % size + 1)' } }"
      }
      return "\(counter)\nmachine.m { initial = 's1', \(states) }"
    } body: { size in
      "for i = 1, \(size) do pass.go() end"
    }
    shapes.played("regions", 20) { size in
      let regions = each(size, by: ", ") {
        "r\($0) = { initial = 'a', a = { go = 'b' }, b = { go = 'a' } }"
      }
      return """
        \(counter)
        machine.m {
          initial = 'p', p = { parallel = { \(each(size, by: ", ") { "'r\($0)'" }) }, \(regions) },
        }
        """
    } body: { _ in
      often
    }
    shapes.played("microsteps", 50) { size in
      """
      state { k = 0 }
      action.go {}
      function reduce.go(s) s.k = 1 end
      machine.m {
        initial = 'a',
        a = { always = {
          to = 'b', when = function(s) return s.k > 0 and s.k < \(size) end,
          reduce = function(s) s.k = s.k + 1 end,
        } },
        b = { always = 'a' },
      }
      """
    } body: { _ in
      "pass.go()"
    }
    shapes.played("gatekeepers", 10, isInSmallForm: true) { size in
      """
      \(counter)
      action.back {}
      \(each(size) { "gatekeeper.g\($0) { go = 'attempt', back = 'reset' }" })
      """
    } body: { _ in
      "for i = 1, 10 do pass.go() pass.back() end"
    }
    shapes.played("options", 30) { _ in
      """
      state {}
      action.take { id = string }
      action.give { id = string }
      gatekeeper.g {
        take = { attempt = function(s, a) return a.id end },
        give = { reset = function(s, a) return a.id end },
      }
      """
    } body: { size in
      """
      for i = 1, \(size) do pass.take { id = 'o' .. i } end
      for i = 1, \(size) do pass.give { id = 'o' .. i } end
      """
    }
    shapes += ofRecords
    return shapes
  }

  private static var ofRecords: [Shape] {
    var shapes: [Shape] = []
    shapes.played("records", 30, isInSmallForm: true) { _ in
      records
    } body: { size in
      """
      pass.fill { count = \(size) }
      for i = 1, 4 do pass.all() end
      for i = 1, \(size) do pass.flip { id = 'p' .. i } end
      """
    }
    shapes.played("recordscoming", 30) { _ in
      records
    } body: { size in
      """
      for i = 1, \(size) do pass.add { id = 'p' .. i } end
      for i = 1, \(size) do pass.drop { id = 'p' .. i } end
      """
    }
    shapes.played("recordstimers", 30) { _ in
      """
      state { players = map {} }
      action.fill { count = integer }
      action.due { id = string }
      machine.side { each = 'players', which = 'id', initial = 'left',
        left = { after = { due = 5 }, due = 'right' }, right = {} }
      function reduce.fill(s, a) for i = 1, a.count do s.players['p' .. i] = { hp = i } end end
      """
    } body: { size in
      "pass.fill { count = \(size) } advance(10)"
    }
    return shapes
  }

  private static let records = """
    state { players = map {} }
    action.fill { count = integer }
    action.add { id = string }
    action.drop { id = string }
    action.flip { id = string }
    action.all {}
    machine.side { each = 'players', which = 'id', initial = 'left',
      left = { all = 'right', flip = 'right' }, right = { all = 'left', flip = 'left' } }
    function reduce.fill(s, a) for i = 1, a.count do s.players['p' .. i] = { hp = i } end end
    function reduce.add(s, a) s.players[a.id] = { hp = 1 } end
    function reduce.drop(s, a) s.players[a.id] = nil end
    """
}
