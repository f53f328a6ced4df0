import Histories
import Moonlatch

/// The flow of the cases of a proof.
enum ProofFlow: String {
  /// `Till`, for histories.
  case till
  /// Sums, and effects that are under way for as long as they are let.
  case work
  /// A timer for each case.
  case timer

  func load() throws -> LoadedFlow {
    switch self {
    case .till: try Till.flow()
    case .work: try LoadedFlow(source: Self.works, name: "work.lua")
    case .timer: try LoadedFlow(source: Self.timers, name: "timer.lua")
    }
  }

  private static let works = """
    state { n = 0, charged = 0, sent = 0, lost = 0 }
    action.add {}
    action.charge {}
    action.send {}
    internal.charged {}
    internal.sent {}
    internal.lost { error = string }
    function reduce.add(s) s.n = s.n + 1 end
    function reduce.charged(s) s.charged = s.charged + 1 end
    function reduce.sent(s) s.sent = s.sent + 1 end
    function reduce.lost(s) s.lost = s.lost + 1 end
    effect.charge = { durable = true, run = function(self) self:work("charge") dispatch.charged() end }
    effect.send = { on_error = "lost", run = function(self) self:work("send") dispatch.sent() end }
    function view.counts(s) return { s.n, s.charged, s.sent, s.lost } end
    """

  // A ring leaves the machine where it is, so that a second one would pass as well.
  private static let timers = """
    state { wait = 0 }
    action.set { wait = number }
    action.ring {}
    machine.timer {
      initial = "idle",
      idle = { set = "waiting" },
      waiting = { ring = "waiting", after = { ring = function(s) return s.wait end } },
    }
    function reduce.set(s, a) s.wait = a.wait end
    function effect.ring(self) self:rang() end
    """
}
