import Testing

/// Shards of a run, and joining their reports.
@Suite struct ShardingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    for number in 1...5 {
      try folder.write(
        "flow \"turnstile.lua\"\nscenario(\"a\", function() end)\n"
          + "scenario(\"b\", function() refuse.push() end)\n", to: "\(number).scenario.lua")
    }
  }

  private func shard(_ part: String, _ options: String...) throws -> Ran {
    let name = part.replacing("/", with: "-")
    return try moonlatch(
      ["run", "-q", "--shard", part, "--report", "jsonl=\(name).jsonl"] + options, in: folder,
      input: .init())
  }

  @Test(
    "all shards together run everything once, and their reports join into the report of one run")
  func whole() throws {
    let first = try shard("1/3")
    #expect(first.code == 0)
    #expect(first.output == "shard 1/3: 4 of 10\n4 passed, 0 failed\n")
    _ = try shard("2/3")
    _ = try shard("3/3")
    let joined = try moonlatch("report", "text", "1-3.jsonl", "3-3.jsonl", "2-3.jsonl", in: folder)
    #expect(joined == (try moonlatch("run", in: folder)))
    #expect(joined.code == 0)
  }

  @Test("a missing shard, or shards of different selections, exit with 5")
  func disagree() throws {
    _ = try shard("1/2")
    let missing = try moonlatch("report", "text", "1-2.jsonl", in: folder)
    #expect(missing.code == 5)
    #expect(missing.errors == "moonlatch: shard 2 of 2 is missing\n")
    _ = try shard("2/2", "1.scenario.lua")
    let different = try moonlatch("report", "text", "1-2.jsonl", "2-2.jsonl", in: folder)
    #expect(different.code == 5)
    #expect(different.errors.contains("split different selections (2 and 10 scenarios"))
  }

  @Test("recorded durations determine the shards")
  func timings() throws {
    var lines = "{\"event\":\"run\",\"version\":1}\n"
    for number in 1...5 {
      for name in ["a", "b"] {
        lines += "{\"event\":\"scenario\",\"file\":\"\(number).scenario.lua\",\"name\":\"\(name)\","
        lines +=
          "\"status\":\"passed\",\"microseconds\":\(number == 3 && name == "b" ? 9_000_000 : 10)}\n"
      }
    }
    try folder.write(lines, to: "before.jsonl")
    let first = try shard("1/2", "--timings", "before.jsonl", "--list")
    #expect(first.output == "3.scenario.lua:3  b\n")
    #expect(try shard("2/2", "--timings", "before.jsonl").output.hasPrefix("shard 2/2: 9 of 10\n"))
    #expect(try moonlatch("run", "--timings", "before.jsonl", in: folder).code == 64)
  }

  @Test("an empty shard is not an empty selection")
  func empty() throws {
    let ran = try shard("7/9", "1.scenario.lua")
    #expect(ran.code == 0)
    #expect(ran.output == "shard 7/9: 0 of 2\n")
    #expect(ran.errors.isEmpty)
  }

  @Test("an invalid shard is a usage error, and auto without a scheduler runs everything")
  func automatic() throws {
    #expect(try shard("6/5").code == 64)
    #expect(
      try shard("auto").output
        == "shard 1/1 (no scheduler's variables are set): 10 of 10\n10 passed, 0 failed\n")
  }

  @Test("files given by absolute paths are the same files")
  func absolute() throws {
    _ = try shard("1/2")
    _ = try shard("2/2", folder.url.path)
    #expect(try moonlatch("report", "text", "1-2.jsonl", "2-2.jsonl", in: folder).code == 0)
  }

  @Test("a flow that cannot be loaded is reported once, for any number of processes")
  func brokenFlow() throws {
    try folder.write("nonsense(", to: "turnstile.lua")
    let ran = try moonlatch("run", "--jobs", "2", "1.scenario.lua", "2.scenario.lua", in: folder)
    #expect(ran.code == 2)
    #expect(ran.output.hasSuffix("0 passed, 2 failed (2 could not be loaded)\n"))
  }
}
