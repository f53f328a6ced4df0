import FlowPages
import LuaRuntime

/// A report as one self-contained page: a table with a filter, and a timeline for each scenario that did not end well.
///
/// The page contains the events themselves and renders them in the browser.
struct HTMLReport: EventReport {
  private var lines: [String] = []

  mutating func text(for event: RunEvent) -> String {
    lines.append(JSONText.visible(event.value))
    guard case .finished = event else { return "" }
    // A closing tag inside a text would end the script.
    let data = lines.joined(separator: ",\n").replacing("<", with: "\\u003c")
    let page = String(decoding: PackageResources.report_html, as: UTF8.self)
    return page.replacing("/*BASE*/", with: PagePart.base.text)
      .replacing("/*PARTS*/", with: PagePart.scripts(.elements, .changes))
      .replacing("/*EVENTS*/", with: data)
  }
}
