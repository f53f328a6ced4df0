import Testing

@testable import HostFiles

/// URLs with placeholders.
@Suite struct URLTemplateTests {
  private func fault(of url: String, hasNames: Bool = false) -> String? {
    do throws(CallFault) {
      _ = try URLTemplate(url, hasNames: hasNames)
      return nil
    } catch {
      return error.description
    }
  }

  private func filled(_ url: String, _ values: [String: String] = [:]) throws -> String {
    let template = try URLTemplate(url, hasNames: false)
    let (path, query) = try template.filled { name in values[name] ?? "" }
    return template.origin + "|" + path + (query.map { "?\($0)" } ?? "")
  }

  @Test("a URL has an origin, a path and a query, and placeholders in the latter two")
  func parts() throws {
    let template = try URLTemplate("https://x.example:8443/a/{b}/c{d}?e={f}&g=1", hasNames: false)
    #expect(template.origin == "https://x.example:8443" && template.host == "x.example")
    #expect(template.placeholders == ["b", "d", "f"])
    #expect(try filled("http://[::1]:80") == "http://[::1]:80|")
    #expect(try filled("https://x?a=1") == "https://x|?a=1")
    #expect(try filled("HTTPS://X.example/a%2Fb;c=1/@:") == "HTTPS://X.example|/a%2Fb;c=1/@:")
  }

  @Test(
    "a URL that cannot be used is refused with the reason",
    arguments: [
      ("/charges", "must begin with https:// or http://"),
      ("ftp://x/", "must begin with https:// or http://"),
      ("{scheme}://x/", "must begin with https:// or http://"),
      ("https://{host}/a", "{host} stands in the host"),
      ("https://x.{host}/a", "{host} stands in the host"),
      ("https://x:{port}/a", "{port} stands in the host"),
      ("https://", "no host"), ("https:///a", "no host"), ("https://:80/", "no host"),
      ("https://u:p@x/", "a user's name"), ("https://x/a#b", "a fragment"),
      ("https://x y/", "has the character %20"), ("https://ü.example/", "in its ASCII form"),
      ("https://x:0/", "from 1 to 65535"), ("https://x:65536/", "from 1 to 65535"),
      ("https://x:/", "from 1 to 65535"), ("https://[::1/", "has no ]"),
      ("https://[::1]x/", "follows the URL's host"),
      ("https://x/a b", "%20, which must be percent-encoded"),
      ("https://x/ü", "%C3, which must be percent-encoded"),
      ("https://x/a%2", "two hexadecimal digits"), ("https://x/a%zz", "two hexadecimal digits"),
      ("https://x/{a", "{ without }"), ("https://x/{}", "{} in the URL is no placeholder"),
      ("https://x/{a b}", "{a b} in the URL is no placeholder"), ("https://x/a}", "character }"),
      ("https://x/a/../b", "must not have .. as a segment"),
      ("https://x/./b", "must not have . as a segment"),
      ("https://x/a/%2e%2E", "must not have .. as a segment"),
    ])
  func faults(url: String, reason: String) {
    #expect(fault(of: url)?.contains(reason) == true, "\(fault(of: url) ?? "fine")")
  }

  @Test("values are percent-encoded, each as one segment")
  func encoding() throws {
    let values = ["a": "ü/ ?#&=+%", "b": "-._~Az09", "c": "x y/z&"]
    #expect(
      try filled("https://x/{a}/{b}?c={c}", values)
        == "https://x|/%C3%BC%2F%20%3F%23%26%3D%2B%25/-._~Az09?c=x%20y%2Fz%26")
  }

  @Test("values that would change which segments the path has are refused")
  func dots() throws {
    for value in ["", ".", ".."] {
      #expect(throws: CallFault.self, "\(value)") {
        try filled("https://x/a/{b}/c", ["b": value])
      }
    }
    #expect(throws: CallFault.self) { try filled("https://x/{b}{c}", ["b": ".", "c": "."]) }
    #expect(throws: CallFault.self) { try filled("https://x/.{b}", ["b": "."]) }
    #expect(try filled("https://x/{b}", ["b": "..."]) == "https://x|/...")
    #expect(try filled("https://x/{b}", ["b": "%2e%2e"]) == "https://x|/%252e%252e")
    #expect(try filled("https://x/?b={b}", ["b": ".."]) == "https://x|/?b=..")
    #expect(try filled("https://x/?b={b}") == "https://x|/?b=")
  }

  @Test("names of variables may stand for anything")
  func names() {
    for url in ["$URL/a/{b}", "https://$HOST/a", "https://$HOST:$PORT/a?{b}", "$URL{b}", "$URL"] {
      #expect(fault(of: url, hasNames: true) == nil, "\(url)")
    }
    #expect(fault(of: "$URL/a b", hasNames: true)?.contains("%20") == true)
    #expect(fault(of: "https://{host}/", hasNames: true)?.contains("in the host") == true)
  }
}
