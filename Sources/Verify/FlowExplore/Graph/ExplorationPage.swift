import FlowPages
import LuaRuntime
import Scenarios

/// The findings of an exploration as a page in one file: the picture, and the steps that lead to violations.
package enum ExplorationPage {
  /// Returns the text of the page.
  ///
  /// - Parameters:
  ///   - chart: the picture, as `ExploredGraphFormat.html` writes it.
  ///   - report: the report of the exploration.
  package static func text(chart: String, _ report: ExplorationReport) -> String {
    let found: Value = [
      "states": .integer(report.states), "transitions": .integer(report.transitions),
      "findings": .list(
        report.findings.map {
          [
            "sentence": .string($0.sentence), "steps": .list($0.steps.map { .string($0) }),
            "others": .integer($0.others),
          ]
        }),
    ]
    // A closing tag within a text would end the script.
    func data(_ json: String) -> String { json.replacing("<", with: "\\u003c") }
    return String(decoding: PackageResources.graph_html, as: UTF8.self)
      .replacing("/*BASE*/", with: PagePart.base.text)
      .replacing("/*PARTS*/", with: PagePart.scripts(.elements, .layout, .arranging, .chart))
      .replacing("/*CHART*/", with: data(chart))
      .replacing("/*FOUND*/", with: data(JSONText.visible(found)))
  }
}
