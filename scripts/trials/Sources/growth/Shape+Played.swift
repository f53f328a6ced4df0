import Platform
import Scenarios

extension [Shape] {
  /// Adds a shape that plays a scenario, as `moonlatch run` does; its flow and its body are made for the size.
  mutating func played(
    _ name: String, _ base: Int, isInSmallForm: Bool = false,
    flow: @escaping @Sendable (Int) -> String, body: @escaping @Sendable (Int) -> String
  ) {
    append(
      Shape(name: name, base: base, isInSmallForm: isInSmallForm) { size in
        try Shape.play(
          flow: flow(size), "scenario('it', function()\n\(body(size))\nend)", expecting: 1)
      })
  }
}

extension Shape {
  /// A counter, with an action that every machine, gatekeeper and gate can name.
  static let counter = """
    state { k = 0 }
    action.go {}
    function reduce.go(s) s.k = s.k + 1 end
    """

  /// The body of a scenario that dispatches this action a number of times.
  static let often = "for i = 1, 20 do pass.go() end"

  /// Returns a text of one part for each number from 1 on.
  static func each(_ count: Int, by separator: String = "\n", _ part: (Int) -> String) -> String {
    (1...count).map(part).joined(separator: separator)
  }

  /// Plays a scenario file, of which so many scenarios pass.
  static func play(
    flow: String, _ scenarios: String, modules: [String: String] = [:], expecting count: Int,
    _ change: (inout PlaySettings) -> Void = { _ in }
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "growth-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var files = modules
    files["flow.lua"] = flow
    files["a.scenario.lua"] = "flow \"flow.lua\"\n" + scenarios
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    var settings = PlaySettings()
    settings.limits = limits
    change(&settings)
    var problem: String?
    let selection = Selection(["a.scenario.lua"], in: folder)
    let summary = Runner(settings: settings).run(selection) { event in
      switch event {
      case .unloadable(_, let message): problem = problem ?? message
      case .ended(let record): problem = problem ?? record.problem?.summary
      default: break
      }
    }
    try WrongResult.unless(
      summary.passed == count,
      "\(summary.passed) of \(count) scenarios passed: \(problem ?? "no reason is known")")
  }
}
