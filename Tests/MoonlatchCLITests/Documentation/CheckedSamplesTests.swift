import FlowTools
import Foundation
import Scenarios
import Testing

/// Checks of the flows and scenarios in the documentation: they have no findings.
@Suite struct CheckedSamplesTests {
  /// Deliberate mistakes: the pages show the messages that they cause.
  private static let meant: Set<String> = [
    "FlowLanguage: state has no field cuont; did you mean count? [unknown-field]",
    "FlowLanguage: state.items[...] has no field statsu; did you mean status? [unknown-field]",
    "Messages: a reducer changes the state in place and returns nothing: write \"s.field = value\" "
      + "[replaced-state]",
    "Messages: a rule cannot change the state; a reducer does that [refused-write]",
    "Messages: gate forget can end without returning a value; end it with \"return true\" [missing-return]",
    "Messages: gate silent always returns false, whatever the state is [constant-answer]",
    "Messages: gate write can end without returning a value; end it with \"return true\" [missing-return]",
    "Messages: sleep cannot be used in a reducer; effects do that, after the action has passed "
      + "[misplaced-word]",
  ]

  @Test("a page's samples have no false positives", arguments: Page.all)
  func silent(_ page: Page) throws {
    let samples = try Samples(page)
    var found: Set<String> = []
    for block in page.blocks where block.language == "lua" {
      guard block.reasonNotToRun == nil, block.argument(of: "from:") == nil else { continue }
      let name = samples.write(block)
      let path = samples.folder.url.appending(path: name).path
      for finding in Checker([path], readFlow: ScenarioFile.readFlow).findings
      where finding.isOfTrees {
        let title = URL(filePath: page.name).deletingPathExtension().lastPathComponent
        found.insert("\(title): \(finding.fault.message) [\(finding.kind.rawValue)]")
      }
    }
    #expect(found.subtracting(CheckedSamplesTests.meant).sorted() == [])
  }
}

extension Samples {
  /// Writes a block as a file of its own, and gives its name.
  fileprivate func write(_ block: Page.Block) -> String {
    var name = block.file ?? "line\(block.line).lua"
    var text = block.text
    if let flow = block.argument(of: "in a scenario of") {
      name = "line\(block.line).scenario.lua"
      text = "flow \"\(flow)\"\nscenario(\"sample\", function()\n\(text)\nend)\n"
    } else if block.file == nil {
      text = (block.argument(of: "with:") ?? "") + "\n" + text
      if text.contains(/(?m)^ *scenario\(/) { name = "line\(block.line).scenario.lua" }
    }
    try? folder.write(text, to: name)
    return name
  }
}
