import Scenarios

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file, or standard input, read block by block.
final class InputFile {
  private let path: String
  private let descriptor: Int32

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws {
    self.path = path == "-" ? "standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard descriptor >= 0 else {
      throw LogError(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if descriptor > STDERR_FILENO { _ = close(descriptor) } }

  /// Reads the next bytes and gives how many there were, none at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var count = 0
    repeat {
      count = systemRead(descriptor, buffer.baseAddress, buffer.count)
    } while count < 0 && errno == EINTR
    guard count >= 0 else {
      throw LogError(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    return count
  }
}

/// A file that is written from its beginning.
final class OutputFile {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>
  private var isOpen = true

  init(_ path: String) throws {
    guard let file = fopen(path, "w") else { throw OutputFile.error(path) }
    (self.path, self.file) = (path, file)
  }

  deinit { if isOpen { fclose(file) } }

  func write(_ text: String) throws {
    var text = text
    let written = text.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) }
    guard written == text.utf8.count else { throw OutputFile.error(path) }
  }

  /// Writes out what is still held, and says whether that went well.
  func close() throws {
    isOpen = false
    guard fclose(file) == 0 else { throw OutputFile.error(path) }
  }

  private static func error(_ path: String) -> LogError {
    LogError(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}

private func systemRead(_ descriptor: Int32, _ into: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, into, count)
}
