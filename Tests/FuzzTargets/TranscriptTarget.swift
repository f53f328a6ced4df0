import FlowHosting
import FlowKernel

private let recorded = Result {
  try LoadedFlow(
    source: """
      state { n = 0, box = map {} }
      action.put { value = any }
      action.late { seconds = number { default = 1 } }
      action.tick {}
      function reduce.put(s, a) s.box.it = a.value end
      function effect.late(self, a) after(a.seconds, "tick") sleep(a.seconds) dispatch.tick() end
      function reduce.tick(s) s.n = s.n + 1 end
      """, name: "recorded.lua", limits: smallLimits)
}

/// Reads the bytes as a transcript; a missing header is added.
///
/// The transcript must be the same when it is written and read again, must play the same twice, and what is recorded
/// meanwhile must be readable.
func playTranscript(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let header = Transcript(flow: "recorded.lua", hash: "", seed: 0).text
  let transcript: Transcript
  do throws(Transcript.Malformed) {
    transcript = try Transcript(text: text.hasPrefix("{\"flow\"") ? text : header + text)
  } catch {
    try require(error.line > 0 && error.column > 0, "\(error) has no place")
    return
  }
  let again = try Transcript(text: transcript.text)
  try require(again.text == transcript.text, "another transcript when written again")
  try require(again.seed == transcript.seed && again.flow == transcript.flow, "another header")
  let first = try course(of: transcript)
  let second = try course(of: again)
  try require(first == second, "two replays differ:\n\(first)\n\(second)")
}

private func course(of transcript: Transcript) throws -> [String] {
  let options = HostOptions(
    limits: smallLimits, clock: .virtual, keepsTranscript: true, print: { _ in },
    report: { _ in })
  let host = try FlowHost(recorded.get(), options: options)
  let played = Transcript(flow: "", hash: "", seed: 0, entries: transcript.entries)
  let difference = try host.replay(played)
  let kept = try host.transcript?.text ?? ""
  try require(try Transcript(text: kept).text == kept, "what was recorded reads as another")
  return [
    "\(difference.map { "\($0)" } ?? "")", "\(try host.state())", "\(try host.elapsed)", kept,
  ]
}
