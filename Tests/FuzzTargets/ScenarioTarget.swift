import Platform
import Scenarios

/// Runs the bytes as a scenario file, twice over; both runs must report the same.
///
/// The bytes after the first byte 31, if there is one, are its flow, `flow.lua`.
func playScenario(_ bytes: [UInt8]) throws {
  let parts = bytes.split(separator: 31, maxSplits: 1, omittingEmptySubsequences: false)
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "fuzz-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let flow = parts.count > 1 ? Data(parts[1]) : Data(turnstile.utf8)
  try flow.write(to: folder.appending(path: "flow.lua"))
  try Data(parts.first ?? []).write(to: folder.appending(path: "a.scenario.lua"))
  let first = report(on: folder)
  let second = report(on: folder)
  try require(!first.contains("there is no such file or folder"), "the file was not read: \(first)")
  try require(first == second, "two runs differ:\n\(first)\n\(second)")
}

private func report(on folder: URL) -> String {
  let text = TextReport()
  var told: [String] = []
  let selection = Selection(["a.scenario.lua"], in: folder)
  var settings = PlaySettings()
  settings.limits = smallLimits
  // A run must not find what an earlier one has left.
  settings.snapshots = .keepAll
  let summary = Runner(settings: settings).run(selection) { event in
    if let line = text.text(for: event) { told.append(line) }
  }
  told.append(text.text(for: summary))
  return told.joined(separator: "\n")
}

private let turnstile = """
  state { locked = true, coins = 0 }
  action.coin { amount = integer { min = 1, default = 1 } }
  action.push {}
  function gate.push(s) return not s.locked, "insert a coin first" end
  function reduce.coin(s, a) s.coins = s.coins + a.amount; s.locked = false end
  function reduce.push(s) s.locked = true end
  function view.takings(s) return s.coins end
  """
