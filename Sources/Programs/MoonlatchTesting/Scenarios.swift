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
/// Files are read when this is made; each scenario runs in a fresh flow, so they may run in parallel.
/// A file that cannot be loaded, and a folder without scenarios, are each a test that fails.
public struct Scenarios: RandomAccessCollection, Sendable {
  private let tests: [ScenarioTest]

  /// Finds the scenarios of a file or of the files below a folder, in the order of their names.
  ///
  /// - Parameters:
  ///   - path: relative to the folder of the file in which this is written.
  ///   - options: those of the host that runs the flow; limits, seed, source of chance, and the rules
  ///     and reducers that it adds in Swift count. Time is virtual, and capabilities are stubs.
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

  /// Where the scenarios begin.
  public var startIndex: Int { tests.startIndex }
  /// Where they end.
  public var endIndex: Int { tests.endIndex }
  /// The scenario at a position.
  public subscript(position: Int) -> ScenarioTest { tests[position] }
}
