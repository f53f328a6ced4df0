import Testing

@testable import Scenarios

@Suite struct ShardTests {
  private func automatic(_ variables: [String: String]) -> String {
    do throws(Shard.AmbiguousShard) {
      let shard = try Shard.automatic { variables[$0] }
      return "\(shard.index)/\(shard.total)"
    } catch {
      return error.description
    }
  }

  @Test("a shard is written as 2/5, starting at 1")
  func written() {
    #expect(Shard("2/5")?.index == 2)
    #expect(Shard("5/5")?.total == 5)
    for text in ["0/5", "6/5", "1/0", "1", "1/2/3", "a/b", "-1/2", ""] {
      #expect(Shard(text) == nil, "\(text)")
    }
  }

  @Test(
    "the variables of each scheduler are read",
    arguments: [
      (["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"], "2/3"),
      (["CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "3"], "1/3"),
      (["BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "3"], "3/3"),
      (["SYSTEM_JOBPOSITIONINPHASE": "1", "SYSTEM_TOTALJOBSINPHASE": "4"], "1/4"),
      (["JOB_COMPLETION_INDEX": "1", "MOONLATCH_SHARDS": "2"], "2/2"),
      (["TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "2", "CI_NODE_INDEX": "9"], "1/2"),
      (["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "4"], "3/4"),
      (
        [
          "SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "2",
          "SLURM_ARRAY_TASK_MAX": "6", "SLURM_ARRAY_TASK_STEP": "2",
        ], "2/3"
      ),
      ([:], "1/1"), (["CI_NODE_TOTAL": "1"], "1/1"),
    ])
  func schedulers(variables: [String: String], part: String) {
    #expect(automatic(variables) == part)
  }

  @Test("an index without a total, or one out of range, is an error")
  func unclear() {
    #expect(
      automatic(["JOB_COMPLETION_INDEX": "1"])
        == "JOB_COMPLETION_INDEX is 1, but MOONLATCH_SHARDS is not set: say how many shards there "
        + "are, with MOONLATCH_SHARDS or --shard 2/N")
    #expect(
      automatic(["CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "3"])
        == "CI_NODE_INDEX is 4 and CI_NODE_TOTAL is 3, which is not a valid shard")
    #expect(
      automatic(["CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "3"])
        == "CI_NODE_INDEX is \"x\", which is not a number")
  }

  @Test("numbers that no scheduler sets are rejected")
  func huge() {
    for number in ["9223372036854775807", "-9223372036854775808", "-1", "9007199254740993"] {
      #expect(Shard("1/\(number)") == nil)
      #expect(Shard("\(number)/2") == nil)
      #expect(
        automatic(["TEST_SHARD_INDEX": number, "TEST_TOTAL_SHARDS": "2"])
          == "TEST_SHARD_INDEX is \"\(number)\", which is not a number")
      let variables = [
        "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "1", "SLURM_ARRAY_TASK_MIN": number,
        "SLURM_ARRAY_TASK_MAX": number, "SLURM_ARRAY_TASK_STEP": number,
      ]
      #expect(automatic(variables) == "1/1")
    }
  }

  @Test("an array of Slurm with gaps is an error")
  func gaps() {
    #expect(
      automatic([
        "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1",
        "SLURM_ARRAY_TASK_MAX": "8", "SLURM_ARRAY_TASK_STEP": "1",
      ]).hasPrefix("the tasks of the Slurm array (3 from 1 to 8) are not evenly numbered"))
  }
}
