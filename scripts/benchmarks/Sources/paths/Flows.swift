/// The flows of the paths.
enum Flows {
  static let counter = """
    state { count = 0 }
    action.increment {}
    function gate.increment(s, a) return s.count >= 0, "the count is negative" end
    function reduce.increment(s, a) s.count = s.count + 1 end
    """

  static let slices = (1...10).map { number in
    """
    state { slice\(number) = { count = 0 } }
    action.increment\(number) {}
    function gate.increment\(number)(s, a) return s.slice\(number).count >= 0, "the count is negative" end
    function reduce.increment\(number)(s, a) s.slice\(number).count = s.slice\(number).count + 1 end
    """
  }.joined(separator: "\n")

  static let machine = """
    state { count = 0 }
    action.flip {}
    local function fine(s, a) return s.count >= 0, "the count is negative" end
    machine.side {
      initial = "left",
      left = { flip = { to = "right", when = fine } },
      right = { flip = { to = "left", when = fine } },
    }
    function reduce.flip(s, a) s.count = s.count + 1 end
    """

  static let gatekeeper = """
    state { count = 0 }
    action.take {}
    action.give {}
    gatekeeper.busy { take = "attempt", give = "reset" }
    function reduce.take(s, a) s.count = s.count + 1 end
    function reduce.give(s, a) s.count = s.count + 1 end
    """

  static let order = """
    state { lines = list_of { product = string, count = integer }, reminders = 0 }
    action.add { product = string, count = integer { min = 1 } }
    action.place {}
    action.pay {}
    action.remind {}
    gatekeeper.payment { place = "attempt", pay = "reset" }
    machine.order {
      initial = "open",
      open = { place = "placed" },
      placed = { pay = "paid", after = { remind = 3600 } },
      paid = {},
    }
    function reduce.add(s, a) table.insert(s.lines, { product = a.product, count = a.count }) end
    function reduce.remind(s) s.reminders = s.reminders + 1 end
    effect.place = { durable = true, run = function() sleep(86400) dispatch.remind() end }
    """

  static let payload = """
    state { sum = 0, note = "" }
    action.add { amount = integer { min = 1 }, note = string { max_length = 20 } }
    function reduce.add(s, a)
      s.sum = s.sum + a.amount
      s.note = a.note
    end
    """

  static let toggle = """
    state { items = list {
      \((1...10).map { "{ title = \"item \($0)\", done = false, rank = \($0) }" }.joined(separator: ", "))
    } }
    action.toggle { index = integer { min = 1 } }
    function gate.toggle(s, a) return s.items[a.index] ~= nil, "there is no such item" end
    function reduce.toggle(s, a)
      local item = s.items[a.index]
      item.done = not item.done
    end
    """

  static let views =
    counter + """

      function view.shown(s) return "count " .. s.count end
      """

  /// A hundred views, one of which reads what changes.
  static let hundredViews =
    views + "\n"
    + (1..<100).map { number in
      "state { field\(number) = 0 } function view.view\(number)(s) return s.field\(number) end"
    }.joined(separator: "\n")

  static let effect =
    counter + """

      action.note {}
      state { notes = 0 }
      function reduce.note(s, a) s.notes = s.notes + 1 end
      function effect.increment(self, a) dispatch.note() end
      """

  /// An action that only passes in a scope whose key it leaves alone.
  static let scoped = """
    state { user = 7, count = 0 }
    action.increment {}
    scope.user { key = function(s) return s.user end, actions = { "increment" } }
    scope.editor { parent = "user", key = function(s) return s.user == 1 end }
    function reduce.increment(s, a) s.count = s.count + 1 end
    """

  static let refused = """
    state { count = 0 }
    action.increment {}
    function gate.increment(s, a) return s.count > 0, "nothing is there yet" end
    """
}
