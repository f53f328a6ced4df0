import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

@testable import HostFiles

/// Host files that are read again while they are in use.
@Suite struct HostFileInUseTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  private func inUse(_ text: String) throws -> HostFileInUse {
    let flow = try LoadedFlow(source: "state {}\naction.go {}", name: "order.lua").flow
    return try HostFileInUse(folder.load(text), for: flow, limits: Limits())
  }

  @Test("a file for scopes that the flow does not declare is not used")
  func unfit() throws {
    let error = #expect(throws: FlowError.self) {
      _ = try inUse("provide.user { mail = worker {} }")
    }
    #expect(error?.description.contains("order.lua declares no scope user") == true)
  }

  @Test("a reload replaces the file as a whole, or not at all")
  func reload() throws {
    let used = try inUse("provide { mail = worker {}, ping = worker {} }")
    try folder.write("provide { mail = worker { queue = \"mails\" } }")
    try used.reload()
    #expect(used.file.tasks.mapValues(\.queue) == ["root.mail": "mails"])
    for fault in ["provide { mail = worker { lease = 0 } }", "provide.user {a = worker {}}", "x ="]
    {
      try folder.write(fault)
      #expect(throws: FlowError.self, "\(fault)") { try used.reload() }
      #expect(used.file.tasks.mapValues(\.queue) == ["root.mail": "mails"])
    }
  }
}
