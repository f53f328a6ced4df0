import SCXML
import StateCharts
import Testing

/// Documents read as charts, and their errors.
@Suite struct DocumentReaderTests {
  static func read(_ text: String, name: String = "x.scxml") -> DocumentFile {
    DocumentReader.read(
      text, name: name,
      DocumentReader.ReadingEnvironment(
        misfit: { $0.contains("#!") ? ("it is none", 1) : nil }, assigned: { _ in [] },
        text: { _ in
          throw DocumentFault(file: "", line: 0, column: 0, message: "there is no such file")
        },
        suggestion: { name, _ in "; did you mean one of those?" }))
  }

  /// A document around a body that begins on its second line.
  static func document(_ body: String, _ attributes: String = "") -> String {
    "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"lua\"\(attributes)>\n\(body)</scxml>"
  }

  static func faults(_ body: String, _ attributes: String = "") -> [String] {
    read(document(body, attributes)).faults.map { "\($0.line):\($0.column): \($0.message)" }
  }

  @Test("states, parallel, final and history become a chart in the order of the document")
  func states() throws {
    let file = Self.read(
      Self.document(
        """
        <state id="a"><state id="a1"/><history id="h" type="deep"><transition target="a1"/></history></state>
        <parallel id="p"><state id="l"/><state id="r"><final id="e"/></state></parallel>
        """))
    #expect(file.faults.isEmpty)
    let chart = try #require(file.documents.first).chart
    #expect(chart.states.map(\.name) == ["x", "a", "a1", "h", "p", "l", "r", "e"])
    #expect(chart.states.map(\.path) == ["", "a", "a.a1", "a.h", "p", "p.l", "p.r", "p.r.e"])
    #expect(
      chart.states.map(\.kind) == [
        .compound, .compound, .atomic, .history(.deep), .parallel, .atomic, .compound, .final,
      ])
    #expect(chart.states.map(\.last) == [7, 3, 2, 3, 7, 5, 7, 7])
    #expect(chart.regions.map(\.head) == [0, 5, 6] && chart.regions.map(\.owner) == [-1, 4, 4])
    #expect(chart.states.map(\.place.line) == [1, 2, 2, 2, 3, 3, 3, 3])
  }

  @Test("a transition has its events, condition, targets and type")
  func transitions() throws {
    let file = Self.read(
      Self.document(
        """
        <state id="a">
          <transition event="x y.* *" cond="true" target="b" type="internal"/>
          <transition event="z"/>
          <transition target="a b1 c1" cond="false"/>
        </state>
        <parallel id="b"><state id="b0"><state id="b1"/></state><state id="c"><state id="c1"/></state></parallel>
        """.replacing("a b1 c1", with: "b1 c1")))
    #expect(file.faults.isEmpty)
    let document = try #require(file.documents.first)
    let transitions = document.chart.states[1].transitions
    #expect(transitions.map(\.trigger) == [.events(["x", "y.*", "*"]), .events(["z"]), .always])
    #expect(transitions.map(\.reach) == [.internal, .stays, .external])
    #expect(transitions.map(\.targets) == [[2], [], [4, 6]])
    #expect(transitions.map { $0.condition != nil } == [true, false, true])
    #expect(document.descriptors == ["*", "x", "y.*", "z"])
  }

  @Test(
    "an invalid document is an error with its line and column",
    arguments: [
      ("<state id=\"a\"/><state id=\"a\"/>", "2:16: id a is given twice: here and in line 2"),
      (
        "<state id=\"a\"><transition target=\"b\"/></state>",
        "2:15: there is no state b; did you mean one of those?"
      ),
      (
        "<state id=\"a\" initial=\"b\"/><state id=\"b\"/>",
        "2:1: the initial state b is not inside a"
      ),
      (
        "<state id=\"a\"><transition event=\"x\" target=\"b c\"/></state><state id=\"b\"/><state id=\"c\"/>",
        "2:15: b and c cannot be active together"
      ),
      (
        "<state id=\"a\"><transition/></state>",
        "2:15: a transition without event, cond and target would be taken forever"
      ),
      (
        "<state id=\"a\"><transition event=\"a*.b\" target=\"a\"/></state>",
        "2:15: event \"a*.b\" is not a name: write words with dots between them, or *"
      ),
      ("<final id=\"f\"><state id=\"a\"/></final>", "2:15: <state> is not allowed in <final>"),
      ("<wrong/>", "2:1: <wrong> is not allowed in <scxml>"),
      (
        "<datamodel><data id=\"a\"/><data id=\"a\"/></datamodel><state/>",
        "2:26: data a is declared twice: here and in line 2"
      ),
      (
        "<script src=\"x.lua\"/>",
        "2:1: the document does not run, because its script cannot be read: x.lua"
      ),
      (
        "<state id=\"a\"><onentry><raise/></onentry></state>", "2:24: <raise> needs event"
      ),
      (
        "<state id=\"a\"><history id=\"h\"/><state id=\"b\"/></state>",
        "2:15: a history needs one transition, whose target is entered if there is no history yet"
      ),
    ])
  func wrong(body: String, message: String) {
    #expect(Self.faults(body) == [message])
  }

  @Test("functions keep the lines of the document")
  func lines() throws {
    let file = Self.read(
      Self.document(
        """
        <state id="a">
          <onentry>
            <assign location="x" expr="1"/>
            <log expr="2"/>
          </onentry>
          <transition event="e"
            cond="x == 1"/>
        </state>
        """))
    let lines = try #require(file.chunks.first).text.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[3].contains("x = (1)") && lines[4].contains("__log(nil, (2))"))
    #expect(lines[6].contains("return (x == 1)"))
    #expect(file.functions.map(\.place.line) == [3, 7])
  }

  @Test(
    "an invalid expression raises an error when it is evaluated, and cannot break out of its place"
  )
  func illegal() throws {
    let file = Self.read(
      Self.document(
        "<datamodel><data id=\"a\" expr=\"#!\"/></datamodel><state id=\"s\"><onentry><assign location=\"a b\" expr=\"1\"/><assign location=\"1\" expr=\"1\"/></onentry></state>"
      ))
    #expect(file.faults.isEmpty && file.warnings.count == 2)
    #expect(try #require(file.chunks.first).text.contains("__illegal("))
  }

  @Test("embedded documents are read separately, and a document that invokes itself is an error")
  func invoked() throws {
    let inner = "<scxml><state id=\"k\"/></scxml>"
    let file = Self.read(
      Self.document(
        "<state id=\"s\"><invoke id=\"kid\"><content>\(inner)</content></invoke><invoke><content>\(inner)</content></invoke></state>"
      ))
    #expect(file.faults.isEmpty && file.documents.count == 3)
    #expect(file.documents[0].invokes.map(\.document) == [1, 2])
    #expect((0...2).map(file.slot) == ["", "kid", "s.2"])
    let endless = Self.document("<state><invoke src=\"x.scxml\"/></state>")
    let circle = DocumentReader.read(
      endless, name: "x.scxml",
      .init(
        misfit: { _ in nil }, assigned: { _ in [] }, text: { ($0, endless) },
        suggestion: { _, _ in "" }))
    #expect(circle.faults.map(\.message) == ["documents invoke each other more than 8 deep"])
  }

  @Test("srcexpr can name any document whose name is a text in the document")
  func choices() throws {
    let text = Self.document(
      "<datamodel><data id=\"v\" expr=\"'one.scxml'\"/></datamodel><state id=\"s\"><onentry><assign location=\"v\" expr=\"'two.scxml'\"/></onentry><invoke srcexpr=\"v\"/></state>"
    )
    let file = DocumentReader.read(
      text, name: "x.scxml",
      .init(
        misfit: { _ in nil }, assigned: { _ in [] },
        text: { ($0, "<scxml><state id=\"k\"/></scxml>") }, suggestion: { _, _ in "" }))
    #expect(file.faults.isEmpty)
    let invoke = try #require(file.documents[0].invokes.first)
    #expect(invoke.choices == ["one.scxml": 1, "two.scxml": 2] && invoke.documents == [1, 2])
    #expect((1...2).map(file.slot) == ["s.one.scxml", "s.two.scxml"])
  }

  @Test("a document that needs the BasicHTTP event processor is rejected as unsupported")
  func basicHTTP() {
    let file = Self.read(
      Self.document(
        "<state id=\"s\"><onentry><send event=\"e\" type=\"http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor\"/></onentry></state>"
      ))
    #expect(file.faults.isEmpty)
    #expect(
      file.warnings.map(\.message) == [
        "there is no BasicHTTP event processor: <send> raises error.communication instead"
      ])
  }

  // MARK: Hostile documents

  @Test("a document type declaration is rejected, so that nothing expands")
  func laughs() {
    let text =
      "<!DOCTYPE lolz [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;\">]>"
      + Self.document("<state id=\"&b;\"/>")
    #expect(
      Self.read(text).faults.map(\.message).first?.contains("document type declaration") == true)
  }

  @Test("depth, number and length are limited")
  func limits() {
    let deep = String(repeating: "<state>", count: 100_000)
    #expect(
      Self.read(Self.document(deep)).faults.map(\.message) == [
        "elements are nested more than 256 deep"
      ])
    let many = String(repeating: "<state/>", count: 1_000_000)
    #expect(
      Self.read(Self.document(many)).faults.map(\.message) == [
        "there are more than 100000 elements, the limit of a document"
      ])
    let long = "<state id=\"\(String(repeating: "a", count: 10 << 20))\"/>"
    #expect(
      Self.read(Self.document(long)).faults.map(\.message) == [
        "a tag or a comment is longer than 1048576 bytes"
      ])
  }

  @Test("a document truncated at any byte is an error")
  func truncated() {
    let text = Self.document(
      "<state id=\"a\"><onentry><log expr=\"1\"/></onentry><transition event=\"e\" target=\"a\"/></state>"
    )
    for length in 0..<text.utf8.count - 1 {
      #expect(!Self.read(String(decoding: text.utf8.prefix(length), as: UTF8.self)).faults.isEmpty)
    }
    #expect(Self.read(text).faults.isEmpty)
  }
}
