import FlowLanguage
import Scenarios
import SharedCommands
import StateBlocks

/// A reader of the stream that a run wrote.
enum StreamFile {
  /// Returns the events of a file; a malformed file ends the command.
  static func read(_ file: String) throws -> [RunEvent] {
    do {
      return try EventStream.events(
        of: TextFile.read(file, name: file, longest: TextFile.longestRecord), name: file)
    } catch {
      Terminal.writeError("moonlatch: \(error)\n")
      throw ExitStatus.unloadable
    }
  }
}
