import Foundation
import LuaRuntime

@testable import Scenarios

/// The events and summary of a run, in a form that a test can compare.
struct Played {
  var summary = RunSummary()
  var events: [RunEvent] = []

  /// Runs what is selected.
  init(
    _ selection: Selection, limits: Limits = Limits(), tellsEveryStep: Bool = false,
    live: LiveSettings? = nil
  ) {
    var events: [RunEvent] = []
    var settings = PlaySettings()
    settings.limits = limits
    settings.tellsEveryStep = tellsEveryStep
    settings.live = live
    summary = Runner(settings: settings).run(selection) { events.append($0) }
    self.events = events
  }

  /// Runs `a.scenario.lua`, of which the text begins on line 2, against `flow.lua`.
  init(
    _ text: String, flow: String = Played.flow, limits: Limits = Limits(),
    tellsEveryStep: Bool = false
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(flow, to: "flow.lua")
    try folder.write("flow \"flow.lua\"\n" + text, to: "a.scenario.lua")
    self.init(
      folder.select("a.scenario.lua"), limits: limits, tellsEveryStep: tellsEveryStep)
  }

  /// One line an event.
  ///
  /// `ok NAME`, `FAIL a.scenario.lua:3: message`, and so on.
  /// Without the source lines that some of them show.
  var verdicts: [String] {
    events.map { event in
      Played.verdict(event).split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains(/^ +>? +[0-9]+ [|]/) }.joined(separator: "\n")
    }
  }

  /// The report, as `moonlatch run` prints it.
  var report: String {
    let report = TextReport()
    return events.compactMap { report.text(for: $0) }.joined(separator: "\n")
  }

  /// The records of the scenarios that ended.
  var records: [ScenarioRecord] {
    events.compactMap { event in
      guard case .ended(let record) = event else { return nil }
      return record
    }
  }

  /// The lines that the scenarios printed.
  var printed: [String] { records.flatMap(\.printed) }

  private static func verdict(_ event: RunEvent) -> String {
    switch event {
    case .nothing(let message): return "NOTHING \(message)"
    case .unloadable(let file, let message): return "UNLOADABLE \(file) | \(message)"
    case .ended(let record):
      guard let problem = record.problem else {
        return record.reason.map { "skip \(record.name): \($0)" } ?? "ok \(record.name)"
      }
      if record.status == .broken { return "ERROR \(problem.summary)" }
      return (["FAIL \(problem.summary)"] + problem.mismatches.map(describeMismatch)).joined(
        separator: " | ")
    case .began, .covered, .finished: return "RUN"
    }
  }

  private static func describeMismatch(_ mismatch: Mismatch) -> String {
    "\(mismatch.path): \(mismatch.expected), found \(mismatch.found)"
  }

  /// Returns the verdict on one scenario with this body.
  ///
  /// Its first line is line 3.
  static func verdict(
    of body: String, flow: String = Played.flow, limits: Limits = Limits()
  ) throws -> String {
    let text = "scenario(\"it\", function()\n\(body)\nend)\n"
    return try Played(text, flow: flow, limits: limits).verdicts.joined(separator: "; ")
  }

  /// A flow with something of everything.
  static let flow = """
    state {
      n = 0, name = "ann", open = true,
      user = { name = "bob", age = 7, mail = none },
      rows = list { { id = 1, note = "a" }, { id = 2, note = "b" } },
      tags = list {}, files = map {}, ids = map { [7] = "seven" },
    }

    action.add { by = number { default = 1 } }
    action.put { field = string, value = optional(any) }
    action.user { field = string, value = optional(any) }
    action.note { row = integer, text = string }
    action.file { name = string, size = optional(integer) }
    action.shut {}
    action.enter {}
    action.mute {}
    action.boom {}
    action.spin {}
    action["T02 Check"] {}

    local function deep(s) return s.name.first.letter end

    function reduce.add(s, a) s.n = s.n + a.by end
    function reduce.put(s, a) s[a.field] = a.value end
    function reduce.user(s, a) s.user[a.field] = a.value end
    function reduce.note(s, a) s.rows[a.row].note = a.text end
    function reduce.file(s, a) s.files[a.name] = a.size end
    function reduce.shut(s) s.open = false end
    function reduce.boom(s) s.n = 5; deep(s) end
    function reduce.spin(s) while true do end end

    function gate.enter(s) return s.open, "it is shut" end
    function gate.mute(s) return false end

    function view.double(s) return s.n * 2 end
    function view.rows(s) return s.rows end
    function view.user(s) return { name = s.user.name, age = s.user.age } end
    function view.mail(s) return s.user.mail end
    function view.broken(s) error("no view today") end

    function invariant.small(s) return s.n < 100, "n is " .. s.n end
    """
}
