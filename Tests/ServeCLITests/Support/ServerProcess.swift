#if Server
  import Foundation
  import HTTPTesting

  /// A process of the built server, which is killed with the value.
  ///
  /// `@unchecked`: its properties are set once, before it is given to anybody.
  final class ServerProcess: RawAsked, @unchecked Sendable {
    /// The server did not start.
    struct NotServing: Error, CustomStringConvertible {
      let description: String
    }

    private let process = Process()
    private(set) var port = 0
    private(set) var token = ""
    /// The start message.
    private(set) var told = ""

    /// Starts a server, and waits until it listens.
    init(_ arguments: [String], in folder: ServedFolder) throws {
      let output = Pipe()
      process.executableURL = ServerProcess.program
      process.arguments = ["serve"] + arguments + ["--port", "0"]
      process.currentDirectoryURL = folder.url
      process.standardOutput = output
      process.standardError = output
      try process.run()
      while !told.contains("/openapi.json\n") {
        let data = output.fileHandleForReading.availableData
        guard !data.isEmpty else { throw NotServing(description: told) }
        told += String(decoding: data, as: UTF8.self)
      }
      guard let address = told.firstMatch(of: /served at http:\/\/127\.0\.0\.1:([0-9]+)/),
        let token = told.firstMatch(of: /token of this run is ([0-9a-f]+)/),
        let port = Int(address.1)
      else { throw NotServing(description: told) }
      (self.port, self.token) = (port, String(token.1))
    }

    deinit { killNow() }

    /// The address of the server.
    var address: String { "http://127.0.0.1:\(port)" }

    /// Kills the process as `kill -9` does, and waits for its end.
    func killNow() {
      guard process.isRunning else { return }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    /// Runs the program to its end, and returns its exit code and what it wrote to standard error.
    static func run(
      _ arguments: [String], in folder: ServedFolder
    ) throws -> (code: Int32, errors: String) {
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      process.currentDirectoryURL = folder.url
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let told = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: told, as: UTF8.self))
    }

    /// The built server lies beside the bundle of the tests.
    static let program: URL = {
      let tests =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        ?? URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      return tests.deletingLastPathComponent().appending(path: "moonlatch-serve")
    }()
  }
#endif
