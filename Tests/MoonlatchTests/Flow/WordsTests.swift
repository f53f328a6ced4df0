import Moonlatch
import Testing

/// Words of the language that are written as what they are not.
@Suite struct WordsTests {
  private func faults(_ source: String) throws -> String {
    do {
      _ = try Host(source: source)
      return ""
    } catch let error as FlowError {
      return error.description
    }
  }

  @Test("a declaration that is assigned would be lost, and is a fault")
  func assigned() throws {
    #expect(
      try faults("action.a {}\nstate = { n = 0 }")
        == "flow.lua:2: state is a word of the flow language and cannot be set: write state { ... }"
    )
    #expect(
      try faults("machine = {}")
        == "flow.lua:1: machine is a word of the flow language and cannot be set: write machine.NAME"
    )
  }

  @Test("a word that takes a function is not called")
  func called() throws {
    for (word, declared) in [
      ("reduce", "a reducer is declared as function reduce.NAME(s, a) ... end"),
      ("view", "a view is declared as function view.NAME(s) ... end"),
      ("invariant", "an invariant is declared as function invariant.NAME(s) ... end"),
    ] {
      #expect(try faults("\(word) { a = function() end }") == "flow.lua:1: \(declared)")
    }
  }

  @Test("who reads the state from its declaration is told where it is")
  func state() throws {
    let trial = try Trial(
      """
      state { n = 0 }
      action.go {}
      function reduce.go(s) s.n = state.n + 1 end
      """)
    #expect(
      try trial.play("go")
        == "flow.lua:3: state declares the state; a function is given it: s.n")
  }
}
