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
