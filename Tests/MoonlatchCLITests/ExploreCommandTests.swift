import Foundation
import Testing

/// `moonlatch explore` with several threads, shards and checkpoints.
@Suite struct ExploreCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      state { a = 0, b = 0, c = 0 }
      for _, k in ipairs { "a", "b", "c" } do
        action["up_" .. k] {}
        action["down_" .. k] {}
        gate["up_" .. k] = function(s) return s[k] < 9, k .. " is full" end
        reduce["up_" .. k] = function(s) s[k] = s[k] + 1 end
        gate["down_" .. k] = function(s) return s[k] > 0 end
        reduce["down_" .. k] = function(s) s[k] = s[k] - 1 end
      end
      """, to: "count.lua")
    for name in ["one", "two"] {
      try folder.write(
        (1...3).map {
          "explore(\"\(name) \($0)\", { within = function(s) return s.a < \($0) end }, function() end)\n"
        }.reduce("flow \"count.lua\"\n", +), to: "\(name).explore.lua")
    }
  }

  @Test("an exploration that is killed resumes to the same report")
  func killed() throws {
    let whole = try moonlatch("explore", "count.lua", in: folder)
    #expect(whole.code == 0)
    let kept = folder.url.appending(path: "kept")
    func standing() -> [String] {
      let found = try? FileManager.default.attributesOfItem(atPath: kept.path)
      return [FileAttributeKey.systemFileNumber, .modificationDate].map { "\(found?[$0] ?? 0)" }
    }
    var resuming: [String] = []
    // Each time it is killed as soon as it has kept something new.
    for _ in 0..<3 {
      let before = standing()
      let child = try ChildProcess(
        ["explore", "count.lua", "--checkpoint", "kept", "--checkpoint-every", "1ms"] + resuming,
        in: folder.url,
        streams: [.reading("/dev/null"), .writing("/dev/null"), .writing("/dev/null")])
      var looks = 0
      while standing() == before, looks < 40_000 {
        usleep(500)
        looks += 1
      }
      child.signal(SIGKILL)
      #expect(child.wait() == 137)
      resuming = ["--resume", "kept"]
    }
    let ran = try moonlatch(["explore", "count.lua"] + resuming, in: folder, input: Data())
    #expect(ran == whole)
  }

  @Test(
    "a flow whose initial state raises an error is reported as not loadable",
    arguments: [
      "scope.s { key = function(s) return s.m end, actions = { \"up\" } }",
      "machine.m { initial = \"a\", a = { after = { up = function(s) return s.m end }, up = true } }",
    ])
  func unbegun(text: String) throws {
    try folder.write("state { n = 0 }\naction.up {}\n\(text)\n", to: "bad.lua")
    try folder.write(
      "flow \"bad.lua\"\nexplore(\"it\", function() end)", to: "bad.explore.lua")
    for arguments in [["bad.lua"], ["bad.explore.lua"], ["bad.lua", "--random", "--walks", "1"]] {
      let ran = try moonlatch(["explore"] + arguments, in: folder, input: Data())
      #expect(ran.code == 2)
      #expect(ran.errors.contains("bad.lua:3: "))
      #expect(!ran.errors.contains("internal error"))
    }
  }

  @Test(
    "an invariant violated in the initial state is found without a step",
    arguments: [
      ("function invariant.low(s) return s.n > 0, \"it is low\" end", "it is low"),
      ("function invariant.low(s) return s.m > 0 end", "state has no field m"),
      ("function invariant.low(s) while true do end end", "instruction limit"),
    ])
  func brokenAtFirst(text: String, why: String) throws {
    try folder.write("state { n = 0 }\naction.up {}\n\(text)\n", to: "bad.lua")
    try folder.write(
      "flow \"bad.lua\"\nexplore(\"it\", function() end)", to: "bad.explore.lua")
    for arguments in [["bad.lua"], ["bad.explore.lua"], ["bad.lua", "--random", "--walks", "1"]] {
      let ran = try moonlatch(["explore"] + arguments, in: folder, input: Data())
      #expect(ran.code == 1)
      #expect(ran.output.contains("  fails   bad.lua:3: "))
      #expect(ran.output.contains(why))
      #expect(!ran.output.contains("written"))
    }
  }

  @Test("an unwritable checkpoint is an error before the search")
  func unwritable() throws {
    try folder.write("mine", to: "notes")
    for (path, why) in [("gone/kept", "there is no such folder"), ("notes", "notes ")] {
      let ran = try moonlatch("explore", "count.lua", "--checkpoint", path, in: folder)
      #expect(ran.code == 3)
      #expect(ran.output == "")
      #expect(ran.errors.contains(why))
    }
    let kept = try moonlatch("explore", "count.lua", "--checkpoint", "kept", in: folder)
    #expect(kept.code == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "kept").path))
  }

  @Test("an exploration that runs out of time says how to resume, and can be resumed")
  func time() throws {
    let ran = try moonlatch(
      "explore", "count.lua", "--time", "1ms", "--checkpoint", "kept", in: folder)
    #expect(ran.code == 6)
    #expect(ran.output.contains("not all explored: the time limit was reached"))
    #expect(ran.errors == "moonlatch: continue with --resume kept\n")
    let resumed = try moonlatch("explore", "count.lua", "--resume", "kept", in: folder)
    #expect(resumed == (try moonlatch("explore", "count.lua", in: folder)))
    let other = try moonlatch("explore", "one.explore.lua", "--resume", "kept", in: folder)
    #expect(other.code == 2)
    #expect(other.errors.contains("kept is a checkpoint of count.lua, which is not explored here"))
  }

  @Test("the parts of --shard run every exploration exactly once")
  func shards() throws {
    let files = ["one.explore.lua", "two.explore.lua", "count.lua"]
    let whole = try moonlatch(["explore"] + files, in: folder, input: Data())
    var lines: [Substring] = []
    for part in 1...3 {
      let ran = try moonlatch(
        ["explore", "--shard", "\(part)/3"] + files, in: folder, input: Data())
      #expect(ran.code == 0)
      #expect(ran.output.hasPrefix("shard \(part)/3: "))
      lines += ran.output.split(separator: "\n").dropFirst()
    }
    #expect(lines.sorted() == whole.output.split(separator: "\n").sorted())
    #expect(lines.count { $0.hasSuffix(", all explored") } == 7)
    let wrong = try moonlatch("explore", "count.lua", "--shard", "4/3", in: folder)
    #expect(wrong.code == 64)
    #expect(wrong.errors.contains("--shard must be a part"))
  }
}
