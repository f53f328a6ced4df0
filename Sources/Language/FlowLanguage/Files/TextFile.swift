import Platform

/// Reading of text files, with a reason in words if it fails.
package enum TextFile {
  /// The maximum size in bytes of texts that people write: flows, modules, scenarios, maps, snapshots.
  package static let longest = 16 << 20
  /// The maximum size in bytes of records that a command wrote while it ran: streams and transcripts.
  package static let longestRecord = 256 << 20

  package enum Kind {
    case file, folder
  }

  package struct Unreadable: Error, CustomStringConvertible {
    package let name: String
    package let reason: String
    package var description: String { "\(name): \(reason)" }
  }

  /// Returns the kind of file at the path, following links; nil if there is none.
  package static func kind(of path: String) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// Returns the text of a UTF-8 file, without a byte-order mark.
  package static func read(
    _ file: URL, name: String, longest: Int = TextFile.longest
  ) throws(Unreadable) -> String {
    try read(file.path, name: name, longest: longest)
  }

  /// Returns the text of the UTF-8 file at a path, without a byte-order mark.
  package static func read(
    _ path: String, name: String, longest: Int = TextFile.longest
  ) throws(Unreadable) -> String {
    let data: [UInt8]
    do {
      data = try bytes(of: path, longest: longest)
    } catch {
      throw Unreadable(name: name, reason: error.reason)
    }
    if data.first == 0x1b {
      throw Unreadable(name: name, reason: "this is compiled Lua; only text is loaded")
    }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw Unreadable(name: name, reason: "the file is not UTF-8 text")
    }
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    return text
  }

  /// Returns the text of an SCXML document, which is UTF-8 or UTF-16.
  static func readDocument(_ file: URL, name: String) throws(Unreadable) -> String {
    let data: [UInt8]
    do {
      data = try bytes(of: file.path, longest: longest)
    } catch {
      throw Unreadable(name: name, reason: error.reason)
    }
    if let text = text(ofUTF16: data) { return text }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw Unreadable(name: name, reason: "the document is neither UTF-8 nor UTF-16 text")
    }
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    return text
  }

  /// Returns the text of UTF-16 bytes, which begin with a byte-order mark or with `<` in UTF-16; nil for other
  /// bytes.
  private static func text(ofUTF16 data: [UInt8]) -> String? {
    guard data.count > 1, data.count.isMultiple(of: 2) else { return nil }
    let isBig: Bool
    switch (data[0], data[1]) {
    case (0xfe, 0xff), (0, 0x3c): isBig = true
    case (0xff, 0xfe), (0x3c, 0): isBig = false
    default: return nil
    }
    let units = stride(from: 0, to: data.count, by: 2).map { place in
      let (first, second) = (UInt16(data[place]), UInt16(data[place + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    guard var text = String(validating: units, as: UTF16.self) else { return nil }
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    return text
  }

  /// Returns all bytes of a file; throws if there are more than `longest`.
  ///
  /// It uses the system's own calls, because programs that start often should start fast.
  package static func bytes(
    of path: String, longest: Int = TextFile.longest
  ) throws(RegularFile.Refused) -> [UInt8] {
    let file = try RegularFile(path)
    var bytes: [UInt8] = []
    // There is one more byte of space than expected, so that the end is seen without another read.
    var room = max(4_096, min(file.size, longest) + 1)
    while file.size <= longest {
      var count = 0
      let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, used in
        count = file.read(into: UnsafeMutableRawBufferPointer(buffer))
        used = max(0, count)
      }
      if count < 0 {
        throw RegularFile.Refused(
          reason: "the file cannot be read (\(String(cString: strerror(errno))))", code: errno)
      }
      if bytes.isEmpty { bytes = part } else { bytes += part }
      // A file that grows while it is read has no reliable size.
      if bytes.count > longest { break }
      if count == 0 || (count < room && bytes.count == file.size) { return bytes }
      room = 65_536
    }
    throw RegularFile.Refused(
      reason: "the file is larger than \(longest >> 20) MB, the limit for such a file")
  }
}
