#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reading files of text, with a reason in words where that cannot be done.
package enum TextFile {
  package enum Kind {
    case file, folder
  }

  package struct Unreadable: Error, CustomStringConvertible {
    package let name: String
    package let reason: String
    package var description: String { "\(name): \(reason)" }
  }

  /// What stands at the path, links followed; nil for nothing.
  package static func kind(of path: String) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }

  /// The text of a UTF-8 file, without a byte-order mark.
  package static func read(_ file: URL, name: String) throws(Unreadable) -> String {
    try read(file.path, name: name)
  }

  /// The text of the file at a path.
  package static func read(_ path: String, name: String) throws(Unreadable) -> String {
    guard let data = bytes(of: path) else {
      switch kind(of: path) {
      case nil: throw Unreadable(name: name, reason: "there is no such file")
      case .folder: throw Unreadable(name: name, reason: "this is a folder, not a file")
      case .file:
        throw Unreadable(name: name, reason: "the file cannot be read (permission denied)")
      }
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

  /// Read with the system's own calls: what starts often should start fast.
  private static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    var bytes: [UInt8] = []
    // One byte more than there should be, so that the end shows without another round.
    var room = max(4_096, Int(status.st_size) + 1)
    while true {
      var count = 0
      let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, used in
        count = take(from: descriptor, into: buffer)
        used = max(0, count)
      }
      if count < 0 { return nil }
      if bytes.isEmpty { bytes = part } else { bytes += part }
      if count == 0 || (count < room && bytes.count == Int(status.st_size)) { return bytes }
      room = 65_536
    }
  }
}

private func take(from descriptor: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
  while true {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 || errno != EINTR { return count }
  }
}
