import FlowKernel
import Platform
import Scenarios

/// The scenarios below a folder, as the arguments of a test of Swift Testing.
///
/// ```swift
/// @Test(arguments: Scenarios(in: "../../flows"))
/// func holds(_ scenario: ScenarioTest) throws { try scenario.run() }
/// ```
///
/// The initializer reads the files. Each scenario runs in a fresh flow, so scenarios can run in parallel. A file that
/// cannot be loaded, and a folder without scenarios, are each a test that fails.
public struct Scenarios: RandomAccessCollection, Sendable {
  private let tests: [ScenarioTest]

  /// Finds the scenarios of a file or of the files below a folder, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: the path, relative to the folder of the calling source file.
  ///   - options: the options of the host that runs the flow. Limits, seed, source of randomness, and the rules and
  ///     reducers that it adds in Swift apply. Time is virtual, and capabilities are stubs.
  public init(
    in path: String, options: HostOptions = HostOptions(), file: String = #filePath
  ) {
    self.init(in: path, of: URL(filePath: file).deletingLastPathComponent(), options)
  }

  /// Finds the scenarios of a file or of the files below a folder, in the order of their names.
  public init(in url: URL, options: HostOptions = HostOptions()) {
    self.init(in: url.path, of: nil, options)
  }

  private init(in path: String, of folder: URL?, _ options: HostOptions) {
    var settings = PlaySettings()
    settings.limits = options.limits
    settings.seed = options.seed
    settings.host = PlayedHost(options)
    let selection = Selection([path], in: folder)
    var tests = selection.notes.map { ScenarioTest(path: path, problem: $0) }
    for item in selection.items { tests += Scenarios.tests(item, settings) }
    self.tests = tests
  }

  private static func tests(_ item: Selection.Item, _ settings: PlaySettings) -> [ScenarioTest] {
    do {
      let entries = try Runner(settings: settings).open(item).file.entries
      guard !entries.isEmpty else {
        return [ScenarioTest(path: item.name, problem: "\(item.name) declares no scenario")]
      }
      return entries.map { ScenarioTest($0, of: item, settings) }
    } catch {
      return [ScenarioTest(path: item.name, problem: error.description)]
    }
  }

  /// The position of the first scenario.
  public var startIndex: Int { tests.startIndex }
  /// The position after the last scenario.
  public var endIndex: Int { tests.endIndex }
  /// The scenario at a position.
  public subscript(position: Int) -> ScenarioTest { tests[position] }
}
