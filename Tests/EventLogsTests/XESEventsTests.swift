import LuaRuntime
import Scenarios
import Testing

@testable import EventLogs

@Suite struct XESEventsTests {
  private func events(_ text: String, block: Int = 1 << 16) throws -> [LogEvent] {
    let log = XESEvents(source(text.utf8, block: block))
    var events: [LogEvent] = []
    while let event = try log.next() { events.append(event) }
    return events
  }

  private func fields(_ text: String) throws -> [[String: Value]] {
    try events(text).map {
      guard case .fields(let fields) = $0.content else { return [:] }
      return fields
    }
  }

  @Test("an event has its own attributes, typed, and those of its trace prefixed with case:")
  func types() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <log xes.version="1.0" xmlns="http://www.xes-standard.org/">
        <extension name="Concept" prefix="concept" uri="http://x"/>
        <classifier name="a" keys="concept:name"/>
        <string key="concept:name" value="a log"/>
        <trace>
          <string key="concept:name" value="T&amp;1"/>
          <int key="n" value="7"/>
          <event>
            <string key="concept:name" value="pay"/>
            <date key="time:timestamp" value="2011-10-11T13:45:40.276+02:00"/>
            <int key="i" value="-12"/><float key="f" value="35.0"/><boolean key="b" value="true"/>
            <id key="id" value="d0e1"/>
          </event>
        </trace>
      </log>
      """
    for block in [1, 1 << 16] {
      let events = try events(text, block: block)
      #expect(events.map(\.line) == [9])
      #expect(
        events.first?.content
          == .fields([
            "case:concept:name": "T&1", "case:n": 7, "concept:name": "pay",
            "time:timestamp": "2011-10-11T13:45:40.276+02:00", "i": -12, "f": .number(35),
            "b": true, "id": "d0e1",
          ]))
    }
  }

  @Test("lists and containers are read as values, and attributes of other attributes are left out")
  func nested() throws {
    let fields = try fields(
      """
      <log><trace><event>
        <list key="l"><values><int key="a" value="1"/><int key="a" value="2"/></values></list>
        <list key="old"><string key="a" value="x"/></list><list key="none"/>
        <container key="c"><int key="a" value="1"/><list key="b"/></container>
        <string key="s" value="x"><int key="meta" value="1"/></string>
      </event></trace></log>
      """)
    #expect(
      fields == [
        [
          "case:concept:name": "1", "l": [1, 2], "old": ["x"], "none": .list([]),
          "c": .record(["a": 1, "b": .list([])]), "s": "x",
        ]
      ])
  }

  @Test("a global declares the default of a missing attribute")
  func globals() throws {
    let fields = try fields(
      """
      <log>
        <global scope="trace"><string key="concept:name" value="?"/><int key="n" value="1"/></global>
        <global scope="event"><string key="concept:name" value="none"/></global>
        <global><string key="org:resource" value="nobody"/></global>
        <global scope="log"><string key="other" value="x"/></global>
        <trace><int key="n" value="2"/><event/></trace>
        <trace><string key="concept:name" value="b"/>
          <event><string key="concept:name" value="pay"/></event></trace>
      </log>
      """)
    #expect(
      fields == [
        [
          "case:concept:name": "?", "case:n": 2, "concept:name": "none", "org:resource": "nobody",
        ],
        ["case:concept:name": "b", "case:n": 1, "concept:name": "pay", "org:resource": "nobody"],
      ])
  }

  @Test("a trace without a name is named by its number, and an event outside a trace has no case")
  func names() throws {
    let fields = try fields(
      "<x:log><x:trace><x:event/></x:trace><x:trace><x:event/></x:trace><x:event/></x:log>")
    #expect(fields == [["case:concept:name": "1"], ["case:concept:name": "2"], [:]])
  }

  @Test("a value that does not match its type is kept as text")
  func others() throws {
    let fields = try fields(
      """
      <log><event><int key="a" value="1.5"/><int key="b" value="99999999999999999999"/>
      <float key="c" value="NaN"/><boolean key="d" value="yes"/><float key="e"/></event></log>
      """)
    #expect(
      fields == [["a": "1.5", "b": "99999999999999999999", "c": "NaN", "d": "yes", "e": ""]])
  }

  @Test("an attribute without a key makes only its own event malformed")
  func keyless() throws {
    let events = try events(
      "<log><trace><event>\n<int value='1'/></event><event/></trace></log>")
    #expect(
      events.map(\.content) == [
        .malformed("the <int> in line 2 has no key"), .fields(["case:concept:name": "1"]),
      ])
  }

  @Test("an event, a trace or a global of more than a MiB is malformed, and reading continues")
  func long() throws {
    let many = String(repeating: "<string key='k' value='0123456789'/>", count: 30_000)
    let fault = LogEvent.Content.malformed("it is longer than 1048576 bytes")
    #expect(
      try events("<log><trace><event>\(many)</event><event/></trace></log>").map(\.content)
        == [fault, .fields(["case:concept:name": "1"])])
    #expect(
      try events("<log><trace>\(many)<event/></trace></log>").map(\.content)
        == [.malformed("its trace: it is longer than 1048576 bytes")])
    #expect(
      try events("<log><global>\(many)</global><event/></log>").map(\.content)
        == [.malformed("the global: it is longer than 1048576 bytes")])
  }

  @Test(
    "a syntax error is reported with line and column",
    arguments: [
      ("<log>\n<trace><event>", "line 2, column 15: the document ends before the end of <event>"),
      ("<!DOCTYPE log []><log/>", "line 1, column 15: a document type declaration"),
      ("<log><event a='\u{1}'/></log>", "line 1, column 16: this is not XML"),
      (String(repeating: "<log>", count: 300), "elements are nested more than 256 deep"),
    ])
  func faults(text: String, reason: String) throws {
    let error = #expect(throws: LogError.self) { try events(text) }
    #expect(error?.description.hasPrefix("the log cannot be read as XES: line ") == true)
    #expect(error?.description.contains(reason) == true)
  }
}
