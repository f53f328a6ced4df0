/// The detection of files that are not logs, by their first bytes.
enum LogKind {
  /// Returns a clause with the file's format and advice; nil if it may be a log.
  static func name(of head: [UInt8]) -> String? {
    for (beginning, name) in beginnings where head.starts(with: beginning) { return name }
    // A digit stands between these two.
    if head.starts(with: Array("BZh".utf8)), head.dropFirst(4).starts(with: Array("1AY".utf8)) {
      return "is compressed with bzip2: unpack it"
    }
    if head.starts(with: [0x50, 0x4b, 3, 4]) { return archive(head) }
    if let text = markup(head) { return text }
    if beginningOfText(head)?.first == UInt8(ascii: "[") {
      return "is a JSON array: write one object a line"
    }
    if isObjectOverLines(head) {
      return "is one JSON document over several lines: write one object a line, as jq -c does"
    }
    if UTF16Source.Encoding(mark: head) != nil { return nil }
    if let name = nameWithoutMark(head) { return name }
    if head.contains(where: { $0 < 7 }) { return "is binary data of an unknown kind" }
    return nil
  }

  /// Returns true if the data is XML, which must be XES to be a log.
  static func isXML(_ head: [UInt8]) -> Bool { beginningOfText(head)?.first == UInt8(ascii: "<") }

  private static let beginnings: [([UInt8], String)] = [
    (Array("%PDF".utf8), "is a PDF: export what it shows as CSV"),
    (Array("PAR1".utf8), "is Parquet: convert it to CSV or JSON lines"),
    (Array("ARROW1".utf8), "is Arrow: convert it to CSV or JSON lines"),
    (Array("Obj\u{1}".utf8), "is Avro: convert it to JSON lines"),
    (
      Array("SQLite format 3\0".utf8),
      "is an SQLite database: export its table, as in sqlite3 -csv -header FILE 'SELECT ...'"
    ),
    (
      [0xd0, 0xcf, 0x11, 0xe0],
      "is an old Office document, as an .xls workbook is: save its sheet as CSV"
    ),
    ([0xff, 0xfe, 0, 0], "is UTF-32: convert it to UTF-8"),
    ([0, 0, 0xfe, 0xff], "is UTF-32: convert it to UTF-8"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "is compressed with xz: unpack it"),
    ([0x28, 0xb5, 0x2f, 0xfd], "is compressed with zstd: unpack it"),
    ([0x37, 0x7a, 0xbc, 0xaf], "is a 7z archive: unpack it"),
    (Array("Rar!".utf8), "is a RAR archive: unpack it"),
    ([0x50, 0x4b, 5, 6], "is an empty zip archive"),
  ]

  /// Returns the clause for a zip archive, by the name of its first file.
  private static func archive(_ head: [UInt8]) -> String {
    let name = String(decoding: head.dropFirst(30).prefix(64), as: UTF8.self)
    if ["[Content_Types].xml", "_rels/", "xl/", "docProps/"].contains(where: name.hasPrefix) {
      return "is an Office document, as an .xlsx workbook is: save its sheet as CSV"
    }
    if name.hasPrefix("mimetypeapplication/vnd.oasis.opendocument") {
      return "is an OpenDocument file, as an .ods workbook is: save its sheet as CSV"
    }
    return "is a zip archive: unpack it"
  }

  private static func markup(_ head: [UInt8]) -> String? {
    guard let beginning = beginningOfText(head) else { return nil }
    let text = String(decoding: beginning.prefix(64), as: UTF8.self).lowercased()
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
      ? "is a web page (HTML): what was saved is not the log itself" : nil
  }

  /// Returns the bytes from the first one that is neither a byte-order mark nor blank, without the zeros of UTF-16.
  private static func beginningOfText(_ head: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = head[...]
    if head.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
    let isMarked = UTF16Source.Encoding(mark: head) != nil
    if isMarked { rest = rest.dropFirst(2) }
    if isMarked || head.count > 1 && (head[0] == 0) != (head[1] == 0) {
      rest = rest.filter { $0 != 0 }[...]
    }
    rest = rest.drop { $0 == 32 || (9...13).contains($0) }
    return rest.isEmpty ? nil : rest
  }

  /// Returns true if the first line contains only the brace that opens an object.
  private static func isObjectOverLines(_ head: [UInt8]) -> Bool {
    guard let line = beginningOfText(head)?.prefix(while: { $0 != 10 && $0 != 13 }),
      line.count < head.count
    else { return false }
    return line.filter { $0 > 32 } == [UInt8(ascii: "{")]
  }

  /// Returns the clause for UTF-16 without a byte-order mark; nil for XML, which declares its encoding.
  private static func nameWithoutMark(_ head: [UInt8]) -> String? {
    guard head.count > 7, !isXML(head) else { return nil }
    let first = head.prefix(8)
    let zeros = [0, 1].map { half in
      first.enumerated().count { $0.offset % 2 == half && $0.element == 0 }
    }
    guard zeros == [0, 4] || zeros == [4, 0] else { return nil }
    let name = zeros == [0, 4] ? "UTF-16LE" : "UTF-16BE"
    return "is UTF-16 without a byte-order mark: convert it, as in "
      + "iconv -f \(name) -t UTF-8 LOG | moonlatch replay FLOW -"
  }
}
