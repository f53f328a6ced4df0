import FlowLanguage
import Platform
import Scenarios
import SharedCommands

/// A log that is read block by block from a file or from standard input.
final class InputFile {
  private let path: String
  /// The file; nil for standard input, which may be of any kind.
  private let file: RegularFile?

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws {
    self.path = path == "-" ? "standard input" : path
    do {
      file = path == "-" ? nil : try RegularFile(path)
    } catch {
      let isSystems = error.code != 0
      throw LogError(
        description: isSystems
          ? "\(path) cannot be read: \(String(cString: strerror(error.code)))"
          : "\(path) cannot be read: \(error.reason); - reads standard input")
    }
  }

  /// Reads the next bytes and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = file?.read(into: buffer) ?? RegularFile.read(from: STDIN_FILENO, into: buffer)
    guard count >= 0 else {
      throw LogError(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    return count
  }
}

/// Writes a file; if that fails, prints the reason and throws exit code 3.
func writeFile(
  _ text: String, to path: String, named name: String? = nil, sparing inputs: [String] = [],
  over isOurs: @escaping OutputFile.Recognition = { _ in false }
) throws {
  do {
    try OutputFile.write(text, to: path, named: name, sparing: inputs, over: isOurs)
  } catch {
    throw notWritten(error)
  }
}
