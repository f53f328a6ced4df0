import Foundation
import Moonlatch

/// SCXML documents that are made to take all there is: each is refused, or runs within its limits.
enum HostileDocuments {
  struct Document {
    let name: String
    /// Made when it is asked for: all of them are more than one process may hold.
    let bytes: () -> [UInt8]

    init(_ name: String, _ text: @autoclosure @escaping () -> String) {
      (self.name, bytes) = (name, { Array(text().utf8) })
    }
    init(_ name: String, bytes: @autoclosure @escaping () -> [UInt8]) {
      (self.name, self.bytes) = (name, bytes)
    }
  }

  /// A document around a body, with two events to take.
  private static func lua(
    _ body: String, data: String = "", attributes: String = "", model: String = "lua"
  ) -> String {
    "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"\(model)\" \(attributes)>"
      + "<datamodel><data id=\"x\" expr=\"0\"/>\(data)</datamodel>\(body)</scxml>"
  }

  private static func many(_ count: Int, _ text: (Int) -> String) -> String {
    (0..<count).map(text).joined()
  }

  static var all: [Document] {
    var all = large + ecmascript + broken + running
    let whole = Array(lua("<state id=\"a\"><transition event=\"go\" target=\"a\"/></state>").utf8)
    all += stride(from: 0, to: whole.count, by: 7).map {
      Document("cut off behind byte \($0)", bytes: Array(whole.prefix($0)))
    }
    return all
  }

  private static var large: [Document] {
    let million = 1_000_000
    return [
      Document("a million states", lua(many(million) { "<state id=\"s\($0)\"/>" })),
      Document("99,000 states", lua(many(99_000) { "<state id=\"s\($0)\"/>" })),
      Document(
        "49,000 regions",
        lua(
          "<parallel id=\"p\"><transition event=\"go\" target=\"p\"/>"
            + many(49_000) { "<state id=\"s\($0)\"/>" } + "</parallel>")),
      Document(
        "depth of 100,000",
        lua(many(100_000) { "<state id=\"s\($0)\">" } + many(100_000) { _ in "</state>" })),
      Document(
        "depth of 250",
        lua(many(250) { "<state id=\"s\($0)\">" } + many(250) { _ in "</state>" })),
      Document(
        "an attribute of 10 MB",
        lua("<state id=\"\(String(repeating: "a", count: 10 << 20))\"/>")),
      Document(
        "a condition of 10 MB",
        lua(
          "<state id=\"a\"><transition event=\"go\" cond=\"\(many(2 << 20) { _ in "x or " })x\"/></state>"
        )),
      Document(
        "a condition of 1 MB",
        lua(
          "<state id=\"a\"><transition event=\"go\" cond=\"\(many(200_000) { _ in "x or " })x\"/></state>"
        )),
      Document(
        "a condition of 100,000 parentheses",
        lua(
          "<state id=\"a\"><transition event=\"go\" cond=\"\(many(100_000) { _ in "(" })x\(many(100_000) { _ in ")" })\"/></state>"
        )),
      Document(
        "a million targets",
        lua(
          "<state id=\"a\"><transition event=\"go\" target=\"\(many(million) { _ in "a " })\"/></state>"
        )),
      Document(
        "a million transitions",
        lua(
          "<state id=\"a\">" + many(million) { _ in "<transition event=\"go\" target=\"a\"/>" }
            + "</state>")),
      Document(
        "90,000 transitions",
        lua(
          "<state id=\"a\">"
            + many(90_000) { _ in "<transition event=\"go\" cond=\"x == 1\" target=\"a\"/>" }
            + "</state>")),
      Document(
        "1,000 targets of each of 1,000 transitions",
        lua(
          "<parallel id=\"p\">" + many(1_000) { "<state id=\"s\($0)\"/>" }
            + many(1_000) { _ in
              "<transition event=\"go\" target=\"\(many(1_000) { "s\($0) " })\"/>"
            } + "</parallel>")),
      Document(
        "a million variables",
        lua("<state id=\"a\"/>", data: many(million) { "<data id=\"d\($0)\" expr=\"1\"/>" })),
      Document(
        "90,000 variables",
        lua("<state id=\"a\"/>", data: many(90_000) { "<data id=\"d\($0)\" expr=\"1\"/>" })),
      Document("one id 90,000 times", lua(many(90_000) { _ in "<state id=\"a\"/>" })),
      Document(
        "90,000 misspelt targets",
        lua(
          "<state id=\"a\">" + many(90_000) { "<transition event=\"go\" target=\"b\($0)\"/>" }
            + "</state>")),
      Document(
        "200 <if> in one another",
        lua(
          "<state id=\"a\"><onentry>" + many(200) { _ in "<if cond=\"x == 0\">" }
            + many(200) { _ in "</if>" } + "</onentry></state>")),
      Document(
        "90,000 <elseif>",
        lua(
          "<state id=\"a\"><onentry><if cond=\"x == 1\">"
            + many(90_000) { _ in "<elseif cond=\"x == 1\"/>" } + "</if></onentry></state>")),
      Document(
        "90,000 <send>",
        lua(
          "<state id=\"a\"><transition event=\"go\">" + many(90_000) { _ in "<send event=\"y\"/>" }
            + "</transition></state>")),
      Document(
        "1,000 times 1,000 attributes",
        lua(many(1_000) { _ in "<state \(many(999) { "a\($0)=\"\" " })/>" })),
      Document(
        "10 MB of blanks", lua("<state id=\"a\">\(String(repeating: " ", count: 10 << 20))</state>")
      ),
      Document(
        "10 MB of comments", lua("<state id=\"a\">\(many(1 << 20) { _ in "<!-- x -->" })</state>")),
      Document(
        "10 MB of text in data",
        lua("<state id=\"a\"/>", data: "<data id=\"y\">\(many(2 << 20) { _ in "word " })</data>")),
      Document(
        "10 MB of elements in data",
        lua(
          "<state id=\"a\"/>",
          data:
            "<data id=\"y\">\(many(90_000) { _ in "<z a=\"\(String(repeating: "&lt;", count: 20))\"/>" })</data>"
        )),
      Document(
        "data 200 deep",
        lua(
          "<state id=\"a\"/>",
          data:
            "<data id=\"y\">\(many(200) { _ in "<z>" })\(String(repeating: "&lt;", count: 1 << 18))\(many(200) { _ in "</z>" })</data>"
        )),
      Document(
        "100 documents in one another",
        lua(
          many(100) { _ in "<state id=\"a\"><invoke><content><scxml version=\"1.0\">" }
            + "<state id=\"a\"/>"
            + many(100) { _ in "</scxml></content></invoke></state>" })),
      Document(
        "5,000 documents side by side",
        lua(
          "<state id=\"a\">"
            + many(5_000) { _ in
              "<invoke><content><scxml version=\"1.0\"><state id=\"a\"/></scxml></content></invoke>"
            }
            + "</state>")),
    ]
  }

  private static var ecmascript: [Document] {
    func document(_ name: String, condition: @autoclosure @escaping () -> String) -> Document {
      Document(
        name,
        lua(
          "<state id=\"a\"><transition event=\"go\" cond=\"\(condition())\"/></state>",
          model: "ecmascript"))
    }
    func data(_ name: String, _ text: @autoclosure @escaping () -> String) -> Document {
      Document(
        name,
        lua("<state id=\"a\"/>", data: "<data id=\"y\">\(text())</data>", model: "ecmascript"))
    }
    return [
      data("10 MB of JSON", "[\(many(5 << 20) { _ in "1," })1]"),
      data("400,000 words of JSON", "[\(many(200_000) { _ in "1," })1]"),
      data("JSON 100,000 deep", many(100_000) { _ in "[" } + many(100_000) { _ in "]" }),
      data("JSON 99 deep", many(99) { _ in "[" } + many(99) { _ in "]" }),
      data("10 MB of a text of JSON", "\"\(many(5 << 20) { _ in "\\n" })\""),
      document("a number of 900 KB", condition: "\(many(300_000) { _ in "1e+" })"),
      document("200,000 members", condition: "x\(many(200_000) { _ in ".y" })"),
      document("900 members", condition: "x\(many(900) { _ in ".y" })"),
      document("900 choices", condition: "\(many(900) { _ in "x ? x : " })x"),
      document("400,000 signs", condition: "\(many(400_000) { _ in "!" })x"),
      document(
        "90 places in one another", condition: many(90) { _ in "x[" } + "0" + many(90) { _ in "]" }),
      Document(
        "a script of 100,000 assignments",
        lua(
          "<script>\(many(100_000) { _ in "x=1;" })</script><state id=\"a\"/>", model: "ecmascript")
      ),
    ]
  }

  private static var broken: [Document] {
    let text = lua("<state id=\"ä\"/>")
    let sixteen: [UInt8] = [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let laughs =
      "<!DOCTYPE scxml [<!ENTITY a0 \"ha\">"
      + many(30) { "<!ENTITY a\($0 + 1) \"&a\($0);&a\($0);&a\($0);&a\($0);\">" } + "]>"
    return [
      Document("a billion laughs", laughs + lua("<state id=\"&a30;\"/>")),
      Document("a file of the system", "<!DOCTYPE scxml SYSTEM \"file:///etc/passwd\">" + text),
      Document("no UTF-8", bytes: Array(text.utf8).map { $0 == 0xa4 ? 0xff : $0 }),
      Document("an overlong character", bytes: Array("<scxml a=\"".utf8) + [0xc0, 0xaf]),
      Document("half a character of UTF-16", bytes: Array(sixteen.dropLast())),
      Document("a surrogate alone", bytes: sixteen + [0x00, 0xd8]),
      Document("16 MB of zeros", bytes: Array(repeating: 0, count: 16 << 20)),
      Document("nothing", bytes: []),
    ]
  }

  private static var running: [Document] {
    [
      Document("a script without end", lua("<script>while true do end</script><state id=\"a\"/>")),
      Document(
        "content without end",
        lua(
          "<state id=\"a\"><transition event=\"go\"><script>while true do end</script></transition></state>"
        )),
      Document(
        "a condition without end",
        lua(
          "<state id=\"a\"><transition event=\"go\" cond=\"(function() while true do end end)()\"/></state>"
        )),
      Document(
        "text that doubles",
        lua(
          "<state id=\"a\"><transition event=\"go\"><script>x = 'x' for i = 1, 100 do x = x .. x end</script></transition></state>"
        )),
      Document(
        "events raised for ever",
        lua(
          "<state id=\"a\"><transition event=\"go y\"><raise event=\"y\"/><raise event=\"y\"/></transition></state>"
        )),
      Document(
        "events raised by a script",
        lua(
          "<state id=\"a\"><transition event=\"go\"><foreach array=\"(function() local t = {} for i = 1, 100000 do t[i] = i end return t end)()\" item=\"x\"><raise event=\"y\"/></foreach></transition></state>"
        )),
      Document(
        "to and fro without events",
        lua(
          "<state id=\"a\"><transition target=\"b\"/></state><state id=\"b\"><transition target=\"a\"/></state>"
        )),
      Document(
        "to and fro among 10,000 regions",
        lua(
          "<state id=\"w\"><transition event=\"go\" target=\"p\"/></state><parallel id=\"p\"><state id=\"a\"><state id=\"b\"><transition target=\"c\"/></state>"
            + "<state id=\"c\"><transition target=\"b\"/></state></state>"
            + many(10_000) { "<state id=\"s\($0)\"/>" } + "</parallel>")),
      Document(
        "a condition that raises errors for ever",
        lua("<state id=\"a\"><transition event=\"*\" cond=\"x.y.z\" target=\"a\"/></state>")),
      Document(
        "events sent for ever",
        lua("<state id=\"a\"><transition event=\"go y\"><send event=\"y\"/></transition></state>")),
      Document(
        "two events for each one sent",
        lua(
          "<state id=\"a\"><transition event=\"go y\"><send event=\"y\"/><send event=\"y\"/></transition></state>"
        )),
      Document(
        "events sent later, more and more",
        lua(
          "<state id=\"a\"><transition event=\"go y\"><send event=\"y\" delay=\"0.7s\"/><send event=\"y\" delay=\"0.7s\"/></transition></state>"
        )),
      Document(
        "large data sent later",
        lua(
          "<state id=\"a\"><transition event=\"go\"><script>x = string.rep('x', 1000000)</script><foreach array=\"{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }\" item=\"i\"><send event=\"y\" delay=\"1s\"><param name=\"x\" expr=\"x\"/></send></foreach></transition></state>"
        )),
      Document(
        "messages to and fro between sessions",
        lua(
          "<state id=\"a\"><invoke id=\"k\"><content><scxml version=\"1.0\" datamodel=\"lua\"><state id=\"b\"><onentry><send target=\"#_parent\" event=\"y\"/></onentry><transition event=\"y\"><send target=\"#_parent\" event=\"y\"/></transition></state></scxml></content></invoke><transition event=\"y\"><send target=\"#_k\" event=\"y\"/></transition></state>"
        )),
      Document(
        "a document that invokes itself",
        lua(
          "<state id=\"a\"><invoke src=\"document.scxml\"/><invoke src=\"document.scxml\"/><invoke src=\"document.scxml\"/></state>"
        )),
      Document(
        "an invocation again and again",
        lua(
          "<state id=\"a\"><invoke id=\"k\"><content><scxml version=\"1.0\"><final id=\"b\"/></scxml></content></invoke><transition event=\"done.invoke.k\" target=\"a\"/></state>"
        )),
    ]
  }
}
