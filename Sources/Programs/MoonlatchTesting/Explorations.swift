import FlowExplore
import FlowKernel
import FlowLanguage
import Platform
import Scenarios

/// The explorations below a folder, as the arguments of a test of Swift Testing.
///
/// ```swift
/// @Test(arguments: Explorations(in: "../../flows"))
/// func holds(_ exploration: ExplorationTest) throws { try exploration.run() }
/// ```
///
/// Each exploration of a `NAME.explore.lua` is a test. If the path names the file of a flow, that flow is explored
/// without such a file. A file that cannot be read, and a folder without such files, are each a test that fails.
public struct Explorations: RandomAccessCollection, Sendable {
  /// The bounds of an exploration: `states`, `depth`, `memory`, `time`.
  public typealias Bounds = ExplorationBounds

  private let tests: [ExplorationTest]

  /// Finds the explorations of a file or of the files below a folder, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: the path, relative to the folder of the calling source file.
  ///   - options: the options of the host that runs the flow. The rules and reducers that it adds in Swift are explored
  ///     too, within its limits. Capabilities are not called: effects end as the file says, or as the flow's text does.
  ///   - bounds: the bounds of each exploration. One that reaches a bound fails, because it has not visited all states.
  public init(
    in path: String, options: HostOptions = HostOptions(),
    bounds: Bounds = Bounds(), file: String = #filePath
  ) {
    let folder = URL(filePath: file).deletingLastPathComponent()
    self.init(in: folder.appending(path: path).standardizedFileURL, named: path, options, bounds)
  }

  /// Finds the explorations of a file or of the files below a folder, in the order of their names.
  public init(
    in url: URL, options: HostOptions = HostOptions(),
    bounds: Bounds = Bounds()
  ) {
    self.init(in: url.standardizedFileURL, named: url.path, options, bounds)
  }

  private init(
    in url: URL, named name: String, _ options: HostOptions, _ bounds: Bounds
  ) {
    func tests(_ path: String, _ name: String) -> [ExplorationTest] {
      ExplorationTest.all(of: path, named: name, options, bounds)
    }
    switch TextFile.kind(of: url.path) {
    case .folder:
      var walk = FolderWalk(suffixes: [ExplorationFile.suffix])
      walk.visit(url.path, named: name)
      self.tests =
        walk.unreadable.map { ExplorationTest(name: $0.name, problem: "\($0.name): \($0.why)") }
        + (walk.found.isEmpty && walk.unreadable.isEmpty
          ? [
            ExplorationTest(
              name: name,
              problem: "there is no exploration file (*\(ExplorationFile.suffix)) in \(name)")
          ] : walk.found.sorted { $0.name < $1.name }.flatMap { tests($0.path, $0.name) })
    case nil:
      self.tests = [
        ExplorationTest(name: name, problem: "\(name): there is no such file or folder")
      ]
    default: self.tests = tests(url.path, name)
    }
  }

  /// The position of the first exploration.
  public var startIndex: Int { tests.startIndex }
  /// The position after the last exploration.
  public var endIndex: Int { tests.endIndex }
  /// The exploration at a position.
  public subscript(position: Int) -> ExplorationTest { tests[position] }
}
