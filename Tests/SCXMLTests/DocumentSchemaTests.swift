import SCXML
import Testing

/// Attributes of documents, and the text between their elements, by the schema of the recommendation.
@Suite struct DocumentSchemaTests {
  private func messages(_ body: String, _ attributes: String = "") -> [String] {
    DocumentReaderTests.read(DocumentReaderTests.document(body, attributes)).faults.map(\.message)
  }

  /// Each element in a place where it may stand, without the attributes that are tried.
  private static let places: [(element: String, document: @Sendable (String) -> String)] = [
    ("state", { "<state id=\"a\" \($0)/>" }),
    ("parallel", { "<parallel id=\"a\" \($0)/>" }),
    ("final", { "<final id=\"a\" \($0)/>" }),
    (
      "history",
      {
        "<state id=\"b\"><history id=\"a\" \($0)><transition target=\"c\"/></history><state id=\"c\"/></state>"
      }
    ),
    (
      "initial",
      {
        "<state id=\"a\"><initial \($0)><transition target=\"b\"/></initial><state id=\"b\"/></state>"
      }
    ),
    ("transition", { "<state id=\"a\"><transition event=\"e\" \($0)/></state>" }),
    ("onentry", { "<state id=\"a\"><onentry \($0)/></state>" }),
    ("onexit", { "<state id=\"a\"><onexit \($0)/></state>" }),
    ("raise", { "<state id=\"a\"><onentry><raise event=\"e\" \($0)/></onentry></state>" }),
    ("if", { "<state id=\"a\"><onentry><if cond=\"true\" \($0)/></onentry></state>" }),
    ("else", { "<state id=\"a\"><onentry><if cond=\"true\"><else \($0)/></if></onentry></state>" }),
    (
      "foreach",
      { "<state id=\"a\"><onentry><foreach array=\"{}\" item=\"i\" \($0)/></onentry></state>" }
    ),
    ("log", { "<state id=\"a\"><onentry><log label=\"l\" \($0)/></onentry></state>" }),
    ("datamodel", { "<datamodel \($0)/><state id=\"a\"/>" }),
    ("data", { "<datamodel><data id=\"d\" \($0)/></datamodel><state id=\"a\"/>" }),
    (
      "assign",
      { "<state id=\"a\"><onentry><assign location=\"d\" expr=\"1\" \($0)/></onentry></state>" }
    ),
    ("donedata", { "<final id=\"a\"><donedata \($0)/></final>" }),
    ("content", { "<final id=\"a\"><donedata><content expr=\"1\" \($0)/></donedata></final>" }),
    (
      "param",
      { "<final id=\"a\"><donedata><param name=\"p\" expr=\"1\" \($0)/></donedata></final>" }
    ),
    ("script", { "<script \($0)>f()</script><state id=\"a\"/>" }),
    ("send", { "<state id=\"a\"><onentry><send event=\"e\" \($0)/></onentry></state>" }),
    ("cancel", { "<state id=\"a\"><onentry><cancel sendid=\"s\" \($0)/></onentry></state>" }),
    ("invoke", { "<state id=\"a\"><invoke id=\"i\" \($0)/></state>" }),
    ("finalize", { "<state id=\"a\"><invoke id=\"i\"><finalize \($0)/></invoke></state>" }),
  ]

  @Test("an unknown attribute of any element is an error, and one of another namespace is not")
  func unknown() {
    for (element, document) in Self.places {
      #expect(messages(document("")).isEmpty, "\(element): \(messages(document("")))")
      #expect(
        messages(document("wrng=\"x\"")) == [
          "<\(element)> has no attribute wrng; did you mean one of those?"
        ], "\(element)")
      let foreign = messages(document("xmlns:q=\"urn:q\" q:wrng=\"x\" xml:space=\"preserve\""))
      #expect(foreign.isEmpty, "\(element): \(foreign)")
    }
    #expect(
      messages("<state id=\"a\"/>", " intial=\"a\"") == [
        "<scxml> has no attribute intial; did you mean one of those?"
      ])
  }

  @Test(
    "an attribute of an early working draft is an error that says what to write",
    arguments: [
      (
        "<state id=\"a\" final=\"true\"/>", "final of <state>",
        "<final id=\"ID\"/> in place of <state>"
      ),
      (
        "<state id=\"a\"><transition event=\"e\" guard=\"x\"/></state>", "guard of <transition>",
        "cond"
      ),
      (
        "<state id=\"a\"><transition event=\"e\" next=\"a\"/></state>", "next of <transition>",
        "target"
      ),
    ])
  func drafts(body: String, what: String, now: String) {
    #expect(messages(body) == ["\(what) is of an early working draft: write \(now)"])
  }

  @Test(
    "an attribute with a fixed set of values rejects others",
    arguments: [
      (
        "<state id=\"a\"><transition event=\"e\" type=\"Internal\"/></state>",
        "type must be external or internal, not Internal"
      ),
      (
        "<state id=\"a\"><invoke autoforward=\"yes\"/></state>",
        "autoforward must be true or false, not yes"
      ),
      (
        "<state id=\"b\"><history id=\"a\" type=\"all\"><transition target=\"c\"/></history><state id=\"c\"/></state>",
        "type must be shallow or deep, not all"
      ),
    ])
  func values(body: String, message: String) {
    #expect(messages(body) == [message])
  }

  @Test("text outside of scripts and values is an error with its line")
  func text() {
    let faults = DocumentReaderTests.read(
      DocumentReaderTests.document(
        "<state id=\"a\">\n\n  stray\n<onentry><log label=\"x\"/></onentry></state>")
    ).faults
    #expect(faults.map(\.message) == ["text is not allowed in <state>: stray"])
    #expect(faults.map(\.line) == [4])
    #expect(
      messages(
        "<datamodel><data id=\"d\">{ 1 }</data></datamodel><state id=\"a\"><onentry><script>f()</script></onentry></state>"
      )
      .isEmpty)
  }

  @Test("the contents of values and of other namespaces are not checked")
  func contents() {
    #expect(
      messages(
        """
        <datamodel><data id="d"><state wrong="1">text<transition evnt="e"/></state></data></datamodel>
        <q:note xmlns:q="urn:q" evnt="x">text</q:note><state id="a"/>
        """
      ).isEmpty)
  }

  @Test("a document without version or namespace gets a warning, and another namespace is rejected")
  func versions() {
    let plain = DocumentReaderTests.read("<scxml><state id=\"a\"/></scxml>")
    #expect(
      plain.faults.isEmpty
        && plain.warnings.map(\.message) == [
          "<scxml> has no namespace: write xmlns=\"http://www.w3.org/2005/07/scxml\"",
          "<scxml> has no version: write version=\"1.0\"",
        ])
    let old = DocumentReaderTests.read(
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"0.9\"><state id=\"a\"/></scxml>")
    #expect(old.faults.isEmpty && old.warnings.map(\.message) == ["version must be 1.0, not 0.9"])
    let other = DocumentReaderTests.read(
      "<scxml xmlns=\"http://www.w3.org/2005/01/SCXML\"><state id=\"a\"/></scxml>")
    #expect(
      other.faults.map(\.message) == [
        "the namespace is http://www.w3.org/2005/01/SCXML; SCXML's is http://www.w3.org/2005/07/scxml"
      ])
  }

  @Test(
    "a misplaced element is an error that says where it belongs",
    arguments: [
      (
        "<state id=\"a\"/><transition event=\"e\" target=\"a\"/>",
        "<transition> is not allowed in <scxml>: put it in a state that contains all others"
      ),
      (
        "<initial><transition target=\"a\"/></initial><state id=\"a\"/>",
        "<initial> is not allowed in <scxml>: write initial=\"ID\" there"
      ),
      (
        "<final id=\"a\"><transition event=\"e\" target=\"a\"/></final>",
        "<final> cannot have transitions: write <state> instead"
      ),
      (
        "<state id=\"a\"><initial><transition event=\"e\" target=\"b\"/></initial><state id=\"b\"/></state>",
        "the transition of <initial> cannot have event or cond"
      ),
    ])
  func places(body: String, message: String) {
    #expect(messages(body) == [message])
  }

  @Test(
    "In must name an existing state, wherever it is used",
    arguments: [
      (
        "<state id=\"a\"><transition cond=\"x and In( 'b' )\" target=\"a\"/></state>",
        ["In('b'): there is no state b; did you mean one of those?"]
      ),
      (
        "<state id=\"a\"><onentry><if cond='In(\"b\")'/></onentry></state>",
        ["In('b'): there is no state b; did you mean one of those?"]
      ),
      (
        "<state id=\"a\"><onentry><script>x = In('b')</script></onentry></state>",
        ["In('b'): there is no state b; did you mean one of those?"]
      ),
      (
        "<state id=\"a\"><transition cond=\"In('a') and Inn('b') and s.In('c') and x == 'In(2)'\" target=\"a\"/></state>",
        []
      ),
      ("<state id=\"a\"><onentry><script>-- In('b')\nx = In(name)</script></onentry></state>", []),
    ])
  func statesAsked(body: String, faults: [String]) {
    #expect(messages(body) == faults)
  }

  @Test(
    "events are names with dots between their parts, separated by blanks",
    arguments: [
      (
        "<transition event=\"go, stop\"/>",
        "event \"go,\" is not a name: write blanks between events: event=\"go stop\""
      ),
      (
        "<transition event=\"'x'\"/>",
        "event \"'x'\" is not a name, because it has quotation marks: write event=\"x\""
      ),
      (
        "<onentry><raise event=\"'x'\"/></onentry>",
        "event \"'x'\" is not a name, because it has quotation marks: write event=\"x\""
      ),
      (
        "<onentry><send event=\"a.*\"/></onentry>",
        "event \"a.*\" is not a name: write words with dots between them, or *"
      ),
    ])
  func events(content: String, message: String) {
    #expect(messages("<state id=\"a\">\(content)</state>") == [message])
  }

  @Test("a literal delay is a number with a unit", arguments: ["1500", "1min", "-1s", "", "'1s'"])
  func delays(delay: String) {
    let units = "is not a duration: write a number and a unit, s or ms: 1.5s, 500ms"
    #expect(
      messages("<state id=\"a\"><onentry><send event=\"e\" delay=\"\(delay)\"/></onentry></state>")
        == ["delay \"\(delay)\" \(units)"])
  }

  @Test("a delayexpr that gives a number gets a warning")
  func delayexpr() {
    let file = DocumentReaderTests.read(
      DocumentReaderTests.document(
        "<state id=\"a\"><onentry><send event=\"e\" delayexpr=\"1500\"/></onentry></state>"))
    #expect(file.faults.isEmpty)
    #expect(
      file.warnings.map(\.message) == [
        "delayexpr is a number, which is read as milliseconds: write '1500ms'"
      ])
    #expect(
      messages(
        "<state id=\"a\"><onentry><send event=\"e\" delayexpr=\"'soon'\"/></onentry></state>"
      ).count == 1)
  }

  @Test(
    "a document without a data model gets one warning, which suggests a model for its expressions",
    arguments: [
      ("limit == 5 &amp;&amp; x", "ECMAScript", "ecmascript"), ("not limit", "Lua", "lua"),
    ])
  func undeclaredModel(condition: String, model: String, name: String) {
    let file = DocumentReaderTests.read(
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
      <state id="a"><transition cond="\(condition)" target="a"/><transition cond="\(condition)" event="e"/></state></scxml>
      """)
    #expect(file.warnings.count == 1)
    #expect(
      file.warnings.first?.message.hasPrefix(
        "this document names no data model; its expressions look like \(model) (line 2: ") == true)
    #expect(
      file.warnings.first?.message.contains("): write datamodel=\"\(name)\";") == true)
  }
}
