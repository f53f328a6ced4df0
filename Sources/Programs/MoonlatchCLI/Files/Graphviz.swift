import FlowLanguage
import Platform

/// A renderer of DOT text, which calls Graphviz's `dot` if it is installed.
enum Graphviz {
  /// The error if no picture was made.
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// Writes the picture to a file, or to standard output if `output` is nil.
  static func draw(_ text: String, format: String, to output: String?) throws {
    let folder = FileManager.default.temporaryDirectory
    let source = folder.appending(path: "moonlatch-\(UUID().uuidString).dot")
    do {
      try OutputFile.write(text, to: source.path)
    } catch {
      throw Failed(description: "\(error)")
    }
    defer { try? FileManager.default.removeItem(at: source) }
    var arguments = ["dot", "-T\(format)", source.path]
    if let output { arguments += ["-o", output] }
    try run(arguments)
  }

  private static func run(_ arguments: [String]) throws(Failed) {
    var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    let started = posix_spawnp(&process, arguments[0], nil, nil, &strings, environ)
    guard started == 0 else {
      throw Failed(
        description: started == ENOENT
          ? "this format needs Graphviz, and there is no dot on the PATH: install graphviz, "
            + "or use --format dot or --format mermaid"
          : "dot cannot be started: \(String(cString: strerror(started)))")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw Failed(description: "dot could not draw this; its message is above")
    }
  }
}
