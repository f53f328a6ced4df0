import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime

@testable import FlowInspector

/// A flow with one of each element that a page shows.
enum Shop {
  static let source = """
    state {
      cents = optional(integer { min = 1 }), note = string { default = "" }, pin = optional(string { secret = true }),
      lines = list_of { { dish = string, count = integer { min = 1 } } },
    }
    action.place { cents = integer { min = 1, samples = { 250 } }, note = optional(string { pattern = "^%l+$" }) }
    action.pay {}
    action.tell { pin = string { secret = true } }
    action.add { line = { dish = one_of { "soup", "pie" }, count = integer { min = 1, max = 9, default = 1 } } }
    action.say { text = string }
    internal.remind {}
    machine.order {
      initial = "empty", empty = { place = "open" }, open = { pay = "done", after = { remind = 60 }, remind = "open" },
      done = { final = true },
    }
    function gate.pay(s) if s.note == "closed" then return false, "the till is closed" end return true end
    function reduce.place(s, a) s.cents, s.note = a.cents, a.note or "" end
    function reduce.tell(s, a) s.pin = a.pin end
    function reduce.add(s, a) s.lines[#s.lines + 1] = a.line end
    function reduce.say(s, a) s.note = a.text end
    function effect.place() dispatch.say { text = "thanks" } end
    function view.status(s) return s.order end
    """

  static func flow() throws -> LoadedFlow { try LoadedFlow(source: source, name: "shop.lua") }

  /// Cases in memory, whose refusals are kept; their time stands still, so that nobody is reminded.
  static func cases(keepingRefusals: Bool = true) async throws -> Cases {
    var options = HostOptions(clock: .virtual)
    options.keepsRefusals = keepingRefusals
    options.report = { _ in }
    return try await Cases(of: flow(), in: MemoryJournal(), options: options)
  }
}

extension Value {

  /// The rows of a timeline, as `action outcome`.
  var told: [String] {
    (self["rows"]?.listValue ?? []).map {
      "\($0["a"]?.stringValue ?? "") \($0["o"]?.stringValue ?? "")"
    }
  }
}
