/// The rule and the reducer that both sides of the comparison run, letter for letter.
private let counterFunctions = """
  function gate.increment(s, a)
    return s.count >= 0, "the count is negative"
  end
  function reduce.increment(s, a)
    s.count = s.count + 1
  end
  """

/// The counter as a flow.
let counterFlow = """
  state { count = 0 }
  action.increment {}
  \(counterFunctions)
  """

/// The counter as plain Lua: the state, the payload, the gate rule and the reducer.
let counterChunk = """
  local gate, reduce = {}, {}
  \(counterFunctions)
  return { count = 0 }, {}, gate.increment, reduce.increment
  """

/// A list of records, one of which is toggled; `fill` makes the list longer.
let toggleFlow = """
  state { items = list {} }
  action.fill { count = integer { min = 1 } }
  action.toggle { index = integer { min = 1 } }
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
  """

/// A machine that flips to and fro: one guard and one reducer for each event.
let machineFlow = """
  state { count = 0 }
  action.flip {}
  local function fine(s, a)
    return s.count >= 0, "the count is negative"
  end
  machine.side {
    initial = "left",
    left = { flip = { to = "right", when = fine } },
    right = { flip = { to = "left", when = fine } },
  }
  function reduce.flip(s, a)
    s.count = s.count + 1
  end
  """

/// A passage that is taken and given back.
let gatekeeperFlow = """
  state { count = 0 }
  action.take {}
  action.give {}
  gatekeeper.busy { take = "attempt", give = "reset" }
  function reduce.take(s, a)
    s.count = s.count + 1
  end
  function reduce.give(s, a)
    s.count = s.count + 1
  end
  """

/// The counter with views, the first of which reads what changes.
func viewsFlow(_ count: Int) -> String {
  let fields = (1...count).map { "field\($0) = \($0)" }.joined(separator: ", ")
  let views = (1...count).map { number in
    let field = number == 1 ? "count" : "field\(number)"
    return "function view.view\(number)(s) return s.\(field) end"
  }
  return counterFlow.replacing("count = 0 }", with: "count = 0, \(fields) }", maxReplacements: 1)
    + "\n" + views.joined(separator: "\n")
}

/// The counter, followed by an effect that dispatches another action.
let effectFlow = """
  \(counterFlow)
  action.note {}
  state { notes = 0 }
  function reduce.note(s, a)
    s.notes = s.notes + 1
  end
  function effect.increment(self, a)
    dispatch.note()
  end
  """
