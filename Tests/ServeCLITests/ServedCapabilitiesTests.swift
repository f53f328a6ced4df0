#if Server
  import CommandTasks
  import FlowLanguage
  import Foundation
  import HTTPTasks
  import HostFiles
  import Testing

  @testable import FlowHosting
  @testable import FlowKernel
  @testable import ServeCLI

  /// The capabilities that `moonlatch serve` provides.
  @Suite struct ServedCapabilitiesTests {
    private let folder: ServedFolder
    private let flow: LoadedFlow

    init() throws {
      folder = try ServedFolder()
      let source = """
        state {}
        action.go {}
        effect.go = { durable = true, run = function(self) self:charge(1) self:mail("a") end }
        """
      try folder.write(source, to: "order.lua")
      flow = try LoadedFlow(folder.url.appending(path: "order.lua"))
    }

    private func served(
      _ policy: MissingPolicy, _ choice: HostFileChoice = .beside
    ) throws -> ServedCapabilities {
      try ServedCapabilities(
        of: flow, at: folder.url.appending(path: "order.lua").path, choice, policy,
        sender: HTTPTaskSender())
    }

    private func write(_ names: String...) throws {
      let entries = names.map { "\($0) = worker()" }.joined(separator: ", ")
      try folder.write("provide { \(entries) }", to: "order.host.lua")
    }

    @Test("a flow that calls a capability without a provider is refused")
    func refused() throws {
      let error = try #require(throws: UnprovidedCalls.self) { try served(.refuse) }
      #expect(error.capabilities.map(\.title) == ["root.charge", "root.mail"])
      #expect(error.hostFile == "order.host.lua")
      try write("charge")
      let other = try #require(throws: UnprovidedCalls.self) { try served(.refuse) }
      #expect(other.capabilities.map(\.title) == ["root.mail"])
      try write("charge", "mail")
      #expect(try served(.refuse).missing.isEmpty)
      #expect(throws: UnprovidedCalls.self) { try served(.refuse, .none) }
    }

    @Test("with --missing wait, a missing capability is served as one without a provider")
    func waiting() throws {
      try write("charge")
      let capabilities = try served(.wait)
      #expect(capabilities.missing.map(\.title) == ["root.mail"])
      let tasks = capabilities.tasks
      #expect(tasks["root.charge"]?.kind == .worker)
      #expect(tasks["root.mail"]?.kind == .missing)
      #expect(tasks["root.mail"]?.queue == "mail")
      try write("charge", "mail")
      try capabilities.reload()
      #expect(capabilities.missing.isEmpty)
      #expect(capabilities.tasks["root.mail"]?.kind == .worker)
    }

    @Test("with either policy the scopes record capabilities that the analysis of the flow missed")
    func missed() throws {
      try write("charge", "mail")
      for policy in MissingPolicy.allCases {
        var scopes = HostScopes()
        try served(policy).provide(to: &scopes)
        #expect(scopes.capabilities.missed != nil)
      }
    }

    @Test("with names in place of texts a host file needs no variable, and nothing is performed")
    func names() throws {
      try folder.write(
        "provide { charge = http { \"POST\", env.MOONLATCH_NO_BANK .. \"/charges\" } }",
        to: "order.host.lua")
      #expect(throws: FlowError.self) { try served(.wait) }
      let tasks = try ServedCapabilities(
        of: flow, at: folder.url.appending(path: "order.lua").path, .beside, .wait, reading: .names
      ).tasks
      let charge = try #require(tasks["root.charge"])
      #expect(charge.kind == .http && charge.performer == nil)
      #expect(tasks["root.mail"]?.kind == .missing)
    }

    @Test(
      "a host file with commands is refused at the start and at a reload, unless they are allowed")
    func commands() throws {
      func served(allowsCommands: Bool) throws -> ServedCapabilities {
        try ServedCapabilities(
          of: flow, at: folder.url.appending(path: "order.lua").path, .beside, .refuse,
          sender: HTTPTaskSender(), runner: CommandTaskRunner(), allowsCommands: allowsCommands)
      }
      let text = """
        provide { charge = worker(),
          mail = command { "/bin/cat", "--", "{text}", args = { "text" } } }
        """
      try folder.write(text, to: "order.host.lua")
      let error = try #require(throws: CommandsNotAllowed.self) {
        try served(allowsCommands: false)
      }
      #expect(
        error.description == """
          order.host.lua:2: root.mail runs a program: command /bin/cat -- {text}
          Start with --allow-commands if the host file may run programs.
          """)
      #expect(try served(allowsCommands: true).tasks["root.mail"]?.performer?.atOnce == 4)
      try write("charge", "mail")
      let capabilities = try served(allowsCommands: false)
      try folder.write(text, to: "order.host.lua")
      #expect(throws: CommandsNotAllowed.self) { try capabilities.reload() }
      #expect(capabilities.tasks["root.mail"]?.kind == .worker)
    }

    @Test("a reloaded host file that lacks what the flow calls is not used")
    func reloading() throws {
      try write("charge", "mail")
      let capabilities = try served(.refuse)
      try write("mail")
      #expect(throws: UnprovidedCalls.self) { try capabilities.reload() }
      #expect(capabilities.provided.map(\.title) == ["root.charge", "root.mail"])
    }
  }
#endif
