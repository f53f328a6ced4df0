#if Server
  import Testing

  @testable import ServeCLI

  /// The command `inspect`.
  @Suite struct InspectCommandTests {
    @Test("a host file with errors is reported, and none is read with --host-file none")
    func hostFile() throws {
      let folder = try ServedFolder()
      try folder.write("state {}\naction.go {}", to: "flow.lua")
      try folder.write("provide { job = worker { lease = 0 } }", to: "flow.host.lua")
      func inspect(_ arguments: String...) throws -> (code: Int32, errors: String) {
        try ServerProcess.run(["inspect", "flow.lua", "--port", "0"] + arguments, in: folder)
      }
      let beside = try inspect()
      #expect(beside.code == 2)
      #expect(beside.errors.contains("flow.host.lua:1: worker: lease must be"), "\(beside.errors)")
      let other = try inspect("--host-file", "other.host.lua")
      #expect(other.code == 2 && other.errors.contains("other.host.lua"), "\(other.errors)")
      // A folder is no journal, which is noticed after the host file is read.
      let none = try inspect("--host-file", "none", "--journal", ".")
      #expect(none.code != 0 && !none.errors.contains("flow.host.lua"), "\(none.errors)")
      #expect(try InspectCommand.parse(["flow.lua", "--host-file", "none"]).hostFile == "none")
    }
  }
#endif
