import Foundation

/// A command that gets signals, and is started with closed streams, a broken output or little of what there is.
///
/// It ends in time, with 128 and a signal's number only where that signal has come; reports are whole or not there, the
/// terminal is set as before, journals are whole, inputs are unchanged, and no file is left that was only for a while.
struct SignalTrial: Trial {
  struct Finding: Error, CustomStringConvertible { let description: String }

  private static let patience = 60.0
  private static let signals: [(String, Int32)] = [
    ("INT", SIGINT), ("TERM", SIGTERM), ("HUP", SIGHUP), ("QUIT", SIGQUIT), ("PIPE", SIGPIPE),
    ("TSTP", SIGTSTP), ("CONT", SIGCONT), ("WINCH", SIGWINCH),
  ]
  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private static let inputs = ["flow.lua", "slow.scenario.lua", "space.lua", "log.csv", "notes.txt", "other"]

  private let programs: Programs
  private let journals: [Journals.Journal]
  private let template: Folder
  private let work: Folder
  private let notes: Folder
  private var counts: [String: Int] = [:]
  private var ended = 0
  private var slowest = 0.0

  var description: String {
    let all = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return
      "\(counts.values.reduce(0, +)) runs (\(all.joined(separator: ", "))), \(ended) ended by a signal; the slowest "
      + "took \(Int(slowest * 1_000)) ms"
  }

  init(_ programs: Programs, _ journals: Journals, root: String, scratch: String) {
    self.programs = programs
    // The files of the flow that is copied.
    self.journals = journals.all.filter { $0.flow.hasSuffix("Commands/flow.lua") }
    template = Folder(scratch + "/template")
    work = Folder(scratch + "/work")
    notes = Folder(scratch + "/notes")
    template.copy(root + "/scripts/fuzzing/Commands/flow.lua", to: "flow.lua")
    template.write(
      """
      flow "flow.lua"
      for i = 1, 60 do
        scenario("number " .. i, function()
          for n = 1, 60 do pass.write { text = "text " .. n } end
          pass.clear()
          expect { texts = {} }
          if i % 5 == 0 then expect { count = 1 } end
        end)
      end

      """, to: "slow.scenario.lua")
    template.write(
      """
      local count = integer { min = 0, max = 20, default = 0 }
      state { a = count, b = count, c = count }
      for _, name in ipairs { "a", "b", "c" } do
        action[name] {}
        reduce[name] = function(s) s[name] = (s[name] + 1) % 21 end
      end
      invariant.never = function(s) return s.a + s.b + s.c < 55 end

      """, to: "space.lua")
    var log = "case:concept:name,concept:name,time:timestamp\n"
    for number in 0..<9_000 {
      let name = ["wait", "clear", "pay"][number % 3]
      log += "c\(number / 3),\(name),2024-01-01T00:00:00Z\n"
    }
    template.write(log, to: "log.csv")
    template.write("somebody else's", to: "notes.txt")
  }

  // MARK: What is run

  private func words(_ kind: String, _ chance: inout Chance) -> [String] {
    switch kind {
    case "run":
      let reports = ["jsonl=r.jsonl", "junit=r.xml", "tap=r.tap", "html=r.html"]
      return ["run", "--jobs", chance.pick("1", "2", "4")]
        + (chance.percent(10) ? ["--watch"] : []) + (chance.percent(20) ? ["--verbose"] : [])
        + (chance.percent(20) ? ["--restarts"] : []) + (chance.percent(20) ? ["--coverage"] : [])
        + reports.flatMap { ["--report", $0] }
    case "explore":
      return ["explore", "space.lua", "--report", "jsonl=r.jsonl", "--write", "found", "--suite", "suite"]
        + (chance.percent(30) ? ["--checkpoint", "check.point", "--checkpoint-every", "20ms"] : [])
        + (chance.percent(20) ? ["--random", "--walks", "3000", "--max-depth", "20"] : [])
        + (chance.percent(30) ? ["--graph", "graph.aut"] : [])
    case "replay":
      return ["replay", "flow.lua", "log.csv", "--deviations", "d.csv", "--report", "jsonl=r.jsonl"]
    case "repl":
      return ["repl", "flow.lua"] + (chance.percent(50) ? ["--journal", "journal", "--case", "a"] : [])
    case "serve": return ["serve", "flow.lua", "--missing", "wait", "--journal", "journal", "--port", "0"]
    default:
      return ["journal"]
        + chance.pick(
          ["show", "journal", "--case", "b"], ["verify", "journal"], ["backup", "journal", "copy"],
          ["restore", "other", "journal", "--force"], ["compact", "journal", "--keep", "1ms"],
          ["erase", "journal", "--case", "a"], ["replay", "journal", "--flow", "flow.lua"],
          ["scenario", "journal", "--case", "b", "--flow", "flow.lua", "--into", "s.scenario.lua"])
    }
  }

  /// How it is started, besides being given a terminal.
  private func setting(_ isServer: Bool, _ chance: inout Chance) -> (Child.Setting, isTight: Bool) {
    var setting = Child.Setting()
    var isTight = false
    setting.output = chance.pick(.file, .file, .file, .closedPipe, .full)
    for (descriptor, sign) in [(0, "<"), (1, ">"), (2, ">")] where chance.percent(15) {
      setting.preparations.append("exec \(descriptor)\(sign)&-")
    }
    if chance.percent(15) {
      setting.preparations.append("ulimit -n \(chance.from(isServer ? 12 : 4, to: 30))")
      isTight = true
    }
    if chance.percent(15) {
      setting.preparations.append("ulimit -f \(chance.pick(1, 8, 16, 64, 100))")
      isTight = true
    }
    setting.input = "write { text = \"a\" }\nclear {}\n:views\n"
    return (setting, isTight)
  }

  mutating func play(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    let kind = chance.pick("run", "run", "explore", "replay", "repl", "repl", "journal", "journal", "serve")
    counts[kind, default: 0] += 1
    work.empty()
    for name in template.names { work.copy(template.file(name), to: name) }
    let base = chance.one(of: journals, or: journals[0])
    for end in Journals.ends where FileManager.default.fileExists(atPath: base.path + end) {
      work.copy(base.path + end, to: "journal" + end)
    }
    work.copy(base.path, to: "other")
    let before = work.contents { !SignalTrial.inputs.contains($0) }
    let words = words(kind, &chance)
    var (setting, isTight) = setting(kind == "serve", &chance)
    let terminal = kind == "repl" ? Terminal() : nil
    if let terminal {
      setting.terminal = terminal.path
      setting.preparations = setting.preparations.filter { $0.hasPrefix("ulimit") }
    }
    let settings = terminal?.settings
    let program = kind == "serve" ? programs.serve : programs.moonlatch
    guard let child = Child(program, words, in: work.path, notes: notes.path, setting) else {
      throw Finding(description: "\(words) could not be started")
    }
    var (sent, told) = act(child, terminal, isServer: kind == "serve", &chance)
    let what = "\(child.text)\n  \(told.joined(separator: ", "))"
    let end = finish(child, terminal, &sent)
    if end.code >= 128 { ended += 1 }
    slowest = max(slowest, end.seconds)
    if setting.output == .closedPipe { sent.insert(SIGPIPE) }
    if isTight { sent.insert(SIGXFSZ) }
    let said = end.output + end.errors + (terminal?.shown() ?? "")
    func expect(_ isSo: Bool, _ wrong: @autoclosure () -> String) throws {
      if isSo { return }
      throw Finding(description: "\(what)\n\(wrong())\nexit \(end.code): \(said.suffix(1_500))")
    }
    try expect(!end.isKilled, "it does not end within \(Int(SignalTrial.patience)) s")
    try expect(
      end.code < 128 || sent.contains(end.code - 128),
      "it ends by signal \(end.code - 128), which nobody has sent")
    try expect(end.code != 70 && !said.contains("internal error"), "it is an internal error")
    try expect(end.memory <= 256, "it holds \(end.memory) MiB")
    if let terminal {
      let now = terminal.settings
      try expect(now == settings, "the terminal was set to \(settings ?? []), is to \(now)")
    }
    if let change = work.difference(from: before, but: { !SignalTrial.inputs.contains($0) }) {
      try expect(false, change)
    }
    for name in work.names where name.split(separator: "/").last?.hasPrefix(".moonlatch-") == true {
      try expect(false, "\(name) is left")
    }
    for name in work.names where !SignalTrial.inputs.contains(name) {
      // A report that is longer than files may be cannot be whole; that is told by the exit code.
      if isTight, end.code != 0 { break }
      if let fault = Reports.fault(in: work.file(name)) { try expect(false, fault) }
    }
    for name in ["journal", "copy"] where FileManager.default.fileExists(atPath: work.file(name)) {
      let verify = Child(
        programs.moonlatch, ["journal", "verify", name], in: work.path, notes: notes.path)?
        .end(within: SignalTrial.patience)
      try expect(verify?.code == 0, "\(name) is damaged: \(verify?.output ?? "")\(verify?.errors ?? "")")
    }
  }

  /// Sends a few signals and keys at moments by chance.
  private func act(
    _ child: Child, _ terminal: Terminal?, isServer: Bool, _ chance: inout Chance
  ) -> (sent: Set<Int32>, told: [String]) {
    var (sent, told): (Set<Int32>, [String]) = ([], [])
    for _ in 0..<chance.pick(0, 1, 1, 1, 2, 3, 6) {
      let pause = chance.pick(0, chance.below(10), chance.below(60), chance.below(400))
      if child.wait(Double(pause) / 1_000) != nil { break }
      told.append("\(pause) ms")
      if let terminal, chance.percent(60) {
        let text = chance.pick(
          "write { text = \"a\" }\r", "s\r", "while true do end\r", ":help\r", "\u{3}", "\u{1a}",
          "\u{1c}", "wri\t", "\u{1b}[A", ":advance 10\r", "x = {\r", "\u{12}wr", ":save \"s.scenario.lua\"\r")
        terminal.type(text)
        told.append("typed \(text.debugDescription)")
        if chance.percent(20) { terminal.resize(columns: chance.from(1, to: 200)) }
        _ = terminal.shown()
        continue
      }
      let (name, number) = chance.one(of: SignalTrial.signals, or: ("TERM", SIGTERM))
      child.signal(number)
      sent.insert(number)
      told.append(name)
    }
    if terminal != nil {
      // The keys that were typed may have been one of these.
      sent.formUnion([SIGINT, SIGQUIT])
    }
    return (sent, told)
  }

  /// Lets a command come to its end, as one does whom nobody disturbs any more.
  private func finish(_ child: Child, _ terminal: Terminal?, _ sent: inout Set<Int32>) -> Child.End {
    child.signal(SIGCONT)
    let limit = Date() + SignalTrial.patience
    var isAsked = false
    while Date() < limit {
      if let end = child.wait(0.02) { return end }
      _ = terminal?.shown()
      if let terminal {
        terminal.type("\u{3}")
        terminal.type("\u{4}")
      }
      // A command that serves or watches ends when it is asked to.
      let isEndless = child.text.contains(" serve ") || child.text.contains("--watch")
      if isEndless, !isAsked, Date() > limit - SignalTrial.patience + 1 {
        child.signal(SIGTERM)
        sent.insert(SIGTERM)
        isAsked = true
      }
    }
    return child.end(within: 0)
  }

  /// Keeps the folder in which it ran.
  func copyFiles(to folder: String) {
    let kept = Folder(folder)
    for name in work.names { kept.copy(work.file(name), to: name) }
  }
}
