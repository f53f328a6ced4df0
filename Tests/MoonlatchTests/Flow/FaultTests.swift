import Moonlatch
import Testing

@Suite struct FaultTests {
  @Test("a fault reads as its place and what is wrong")
  func description() {
    #expect(Fault(file: "a.lua", line: 3, message: "no").description == "a.lua:3: no")
    #expect(Fault(file: "a.lua", line: 0, message: "no").description == "a.lua: no")
  }

  @Test("faults are sorted by file, line and text")
  func sorted() {
    let error = FlowError([
      Fault(file: "b", line: 1, message: "x"), Fault(file: "a", line: 10, message: "x"),
      Fault(file: "a", line: 9, message: "z"), Fault(file: "a", line: 9, message: "y"),
    ])
    #expect(error.description == "a:9: y\na:9: z\na:10: x\nb:1: x")
  }
}
