/// A flow of a size that flows have at work.
public enum LargeFlow {
  /// 40 actions with payload types, 30 reducers, 20 gate rules, two machines, some views.
  public static let source = {
    var text = """
      state {
        customer = { name = "", mail = none, points = 0 }, lines = list {}, notes = map {},
        total = 0, paid = 0, currency = "EUR", opened = false, closed = false,
      }
      local money = integer { min = 0, max = 1000000 }
      local name = string { max_length = 80 }

      """
    for number in 1...40 { text += "action.step_\(number) \(payloads[number % payloads.count])\n" }
    for number in 1...30 { text += reducer(number) }
    for number in 1...20 {
      text += """
        function gate.step_\(number)(s, a)
          if s.closed then return false, "it is closed" end
          return s.total <= \(number) * 1000, "the total of step \(number) is too high"
        end

        """
    }
    return text + machines + views
  }()

  private static let payloads = [
    "{ amount = money, reason = optional(name) }",
    "{ name = name, mail = optional(string { pattern = \"^.+@.+$\" }) }",
    "{ article = name, count = integer { min = 1, default = 1 }, price = money }",
    "{ kind = one_of { \"letter\", \"parcel\", \"freight\" }, express = boolean { default = false } }",
    "{}",
  ]

  private static func reducer(_ number: Int) -> String {
    let bodies = [
      "s.paid = s.paid + a.amount",
      "s.customer.name, s.customer.mail = a.name, a.mail",
      """
      s.lines[#s.lines + 1] = { article = a.article, count = a.count, price = a.price }
        s.total = s.total + a.count * a.price
      """,
      "s.notes[a.kind] = a.express and \"express \(number)\" or \"plain \(number)\"",
      "s.opened = true",
    ]
    return "function reduce.step_\(number)(s, a)\n  \(bodies[number % bodies.count])\nend\n"
  }

  private static let machines = """
    machine.order {
      initial = "draft",
      draft = { step_1 = "placed", step_2 = "cancelled" },
      placed = { step_3 = "packed", step_2 = "cancelled" },
      packed = { step_4 = { to = "sent", when = function(s) return s.paid >= s.total end } },
      sent = {
        step_5 = "delivered", after = { step_9 = 3600 }, step_9 = "delivered",
      },
      delivered = { final = true }, cancelled = { final = true },
    }
    machine.payment {
      initial = "open",
      open = { step_6 = "partly", step_7 = "settled" },
      partly = { step_6 = "partly", step_7 = "settled" },
      settled = { step_8 = "open" },
    }

    """

  private static let views = """
    function view.total(s) return s.total end
    function view.owed(s) return s.total - s.paid end
    function view.lines(s) return #s.lines end
    function view.customer(s) return { name = s.customer.name, points = s.customer.points } end
    function invariant.never_overpaid(s) return s.paid <= 1000000, "too much was paid" end

    """
}
