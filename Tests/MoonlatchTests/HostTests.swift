import Moonlatch
import Testing

let turnstile = """
  state { locked = true, coins = 0 }
  action.coin { amount = integer { min = 1 } }
  action.push {}
  function gate.push(s)
    return not s.locked, "insert a coin first"
  end
  function reduce.coin(s, a)
    s.coins  = s.coins + a.amount
    s.locked = false
  end
  function reduce.push(s)
    s.locked = true
  end
  function view.takings(s)
    return s.coins
  end
  function invariant.never_in_debt(s)
    return s.coins >= 0
  end
  """

@Suite struct HostTests {
  @Test("a passed action changes the state and says what changed")
  func passes() throws {
    let host = try Host(source: turnstile)
    guard case .passed(let transition) = try host.dispatch("coin", ["amount": 2]) else {
      Issue.record("coin did not pass")
      return
    }
    #expect(transition.revision == 1)
    #expect(transition.patch.description == "coins: 0 -> 2\nlocked: true -> false")
    #expect(try host.state() == ["locked": false, "coins": 2])
    #expect(try host.view("takings") == 2)
  }

  @Test("a refused action says why and changes nothing")
  func refuses() throws {
    let host = try Host(source: turnstile)
    let outcome = try host.dispatch("push")
    #expect(outcome.description == "refused by gate push: insert a coin first")
    #expect(try host.revision == 0)
  }

  @Test("a payload that is not what the action declares fails with its faults")
  func payload() throws {
    let host = try Host(source: turnstile)
    #expect(
      try host.dispatch("coin", ["amount": "five"]).description
        == "action coin: amount must be an integer of at least 1, got \"five\"")
    #expect(
      try host.dispatch("conin").description == "there is no action conin; did you mean coin?")
  }
}
