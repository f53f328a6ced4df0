import LuaRuntime
import Testing

@testable import FlowKernel

@Suite struct TranscriptTests {
  private let header = "{\"moonlatch_transcript\":2,\"flow\":\"f\",\"hash\":\"\",\"seed\":\"0\"}\n"

  @Test(
    "an invalid line of a transcript is rejected with its column, whatever its numbers",
    arguments: [
      ("{\"advance_us\":-1}", "15: advance_us takes a whole number from 0 to"),
      ("{\"advance_us\":-1e300}", "15: advance_us takes a whole number from 0 to"),
      ("{\"advance_us\":9223372036854775807}", "15: advance_us takes a whole number from 0 to"),
      ("{\"advance_us\":\"1\"}", "15: advance_us takes a whole number from 0 to"),
      ("{\"go_to\":1.5}", "10: go_to takes a whole number from 0 to"),
      ("{\"go_to\":-1}", "10: go_to takes"), ("{\"through\":1e300}", "12: through takes"),
      ("{\"close\":9223372036854775807}", "10: close takes"),
      ("{\"open\":\"a\",\"instance\":-7}", "24: instance takes"),
      ("{\"open\":7}", "9: open takes a string"),
      (
        "{\"open\":\"a\"}",
        "1: instance takes a whole number from 0 to 9007199254740992, not nothing"
      ),
      ("{\"dispatch\":\"a\",\"revision\":-9223372036854775808}", "28: revision takes"),
      ("{\"answered\":1}", "1: an answer needs a value or an error"),
      ("{\"answered\":-1,\"value\":1}", "13: answered takes"),
      ("{\"call\":1}", "1: a call needs a capability and a list of arguments"),
      ("{\"call\":1e99,\"capability\":\"a\",\"arguments\":[]}", "9: call takes"),
      ("[]", "1: expected one of dispatch, advance_us"), ("7", "1: expected one of dispatch"),
      ("{\"settle\":\"\\ud800\\u0041\"}", "12: this is not JSON: half of a surrogate pair"),
    ])
  func malformed(line: String, reason: String) {
    for ending in ["\n", "\r\n", ""] {
      #expect {
        try Transcript(text: header + "\n" + line + ending)
      } throws: {
        "\($0)".hasPrefix("line 3, column \(reason)")
      }
    }
  }

  @Test("a header with an invalid seed is rejected")
  func seed() {
    for seed in ["18446744073709551616", "-1", ""] {
      let text = header.replacing("\"seed\":\"0\"", with: "\"seed\":\"\(seed)\"")
      #expect(throws: Transcript.Malformed.self) { try Transcript(text: text) }
    }
  }

  @Test("times up to the maximum can be replayed one after the other")
  func endOfTime() throws {
    let advance = "{\"advance_us\":\(EngineTime.last)}\n"
    let transcript = try Transcript(
      text: header + advance + "{\"dispatch\":\"go\",\"outcome\":\"\",\"revision\":1}\n" + advance
        + advance)
    let trial = try Trial(
      "state {} action.go {} action.late {} function effect.go() after(1e300, \"late\") end",
      keepsTranscript: true)
    _ = try trial.host.replay(transcript)
    #expect(try trial.host.revision == 2)
    let kept = try #require(try trial.host.transcript).text
    #expect(try Transcript(text: kept).text == kept)
  }

  @Test("answers with infinity or integer keys are replayed unchanged")
  func answers() throws {
    let flow = """
      state { box = map {} } action.keep { value = any }
      function reduce.keep(s, a) s.box.it = a.value end
      """
    let value: Value = .map([7: .number(-.infinity), -2: ["[1]": .map([:])]])
    let trial = try Trial(flow, keepsTranscript: true)
    try trial.host.passing("keep", ["value": value])
    let transcript = try Transcript(text: #require(try trial.host.transcript).text)
    let other = try Trial(flow)
    #expect(try other.host.replay(transcript) == nil)
    #expect(try other.host.state() == trial.host.state())
  }
}
