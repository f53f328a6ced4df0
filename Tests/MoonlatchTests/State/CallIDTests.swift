import Testing

@testable import FlowKernel

/// The identity of a call, which fits into a header of HTTP.
@Suite struct CallIDTests {
  private func text(
    _ id: String, position: String = "2", journal: String? = "7f0q3kz81hw5n2xd"
  ) -> String {
    CallID(journal: journal, flow: "order", case: id, effect: 4, position: position).description
  }

  @Test("a call is named by journal, case, effect and position, and by the flow without a journal")
  func plain() {
    #expect(text("o-17") == "7f0q3kz81hw5n2xd/o-17/e4/2")
    #expect(text("o-17", position: "retry1.2") == "7f0q3kz81hw5n2xd/o-17/e4/retry1.2")
    #expect(text("o-17", journal: nil) == "order/o-17/e4/2")
  }

  @Test(
    "an id that is no visible ASCII is replaced by its digest",
    arguments: ["o 17", "é", "e\u{301}", "\t", "o\u{7f}", "日本"])
  func digests(id: String) {
    let text = text(id)
    let prefix = "7f0q3kz81hw5n2xd/sha256-"
    #expect(text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 64)
    #expect(text.dropFirst(prefix.count).allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(text == self.text(id) && self.text(id, position: "3") != text)
    #expect(self.text(id, journal: nil).hasPrefix("sha256-"))
  }

  @Test("ids that look alike are different calls")
  func alike() {
    #expect(!text("é").utf8.elementsEqual(text("e\u{301}").utf8))
  }

  @Test("a text has 255 bytes at most")
  func length() {
    let most = 255 - text("").utf8.count
    let longest = text(String(repeating: "a", count: most))
    #expect(longest.utf8.count == 255 && longest.hasSuffix("aaa/e4/2"))
    let longer = text(String(repeating: "a", count: most + 1))
    #expect(longer.hasPrefix("7f0q3kz81hw5n2xd/sha256-") && longer.utf8.count == 88)
    #expect(longer != text(String(repeating: "a", count: most + 2)))
  }
}
