import Testing

@testable import Scenarios

@Suite struct HTMLReportTests {
  @Test("the page is one file without external resources")
  func selfContained() {
    let page = Sample.report(.html, [.began(RunHeader()), .ended(Sample.record), Sample.end()])
    #expect(page.hasPrefix("<!doctype html>"))
    for word in ["src=", "href=", "@import", "url(", "http"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("\"name\":\"it\""))
    #expect(!page.contains("/*EVENTS*/"))
  }

  @Test("no text of a script can end the page's script element")
  func escaped() {
    var record = Sample.record
    record.name = "</script><script>alert(1)</script><!--"
    let page = Sample.report(.html, [.began(RunHeader()), .ended(record), Sample.end()])
    #expect(page.components(separatedBy: "</script>").count == 2)
    #expect(!page.contains("<!--"))
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
