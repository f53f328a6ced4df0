import FlowKernel
import StateCharts
import Testing

@testable import FlowTools

@Suite("States that can be active together because one contains the other")
struct ChartTouchingTests {
  @Test("a state touches itself, its ancestors and its descendants, and no others")
  func touching() throws {
    let flow = try LoadedFlow(
      source: """
        state {} action.go {}
        local function table_of(depth)
          if depth == 0 then return {} end
          return { initial = "a", a = table_of(depth - 1), b = table_of(depth - 1), go = "b" }
        end
        machine.m(table_of(4))
        """, name: "f.lua"
    ).flow
    let chart = flow.machines[0].chart
    let states = chart.states.indices.map(Int32.init)
    for state in states {
      for first in states {
        for second in [first, states.last ?? 0] {
          let touches = [first, second].contains {
            chart.contains($0, state) || chart.contains(state, $0)
          }
          #expect(chart.touches(state, anyOf: Set([first, second]).sorted()) == touches)
        }
      }
    }
    #expect(!chart.touches(0, anyOf: []))
  }
}
