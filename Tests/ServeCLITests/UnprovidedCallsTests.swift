#if Server
  import FlowKernel
  import FlowTools
  import Testing

  @testable import ServeCLI

  /// The message about capabilities that nobody provides.
  @Suite struct UnprovidedCallsTests {
    private func told(_ effects: String) throws -> String {
      let flow = try LoadedFlow(
        source: "state {}\naction.go {}\naction.pay {}\n" + effects, name: "order.lua")
      return UnprovidedCalls(
        flow: flow.name, capabilities: CapabilityUses(FlowText(flow)).missing { _, _ in false },
        hostFile: "order.host.lua"
      ).description
    }

    @Test("the message names the capability, the line of its first call, and two ways to go on")
    func one() throws {
      #expect(
        try told("function effect.go(self)\n  self:mail()\n  self:mail()\nend") == """
          order.lua calls capabilities that nobody provides:
            root.mail    order.lua:5
          Provide it in order.host.lua, or start with --missing wait: durable effects then wait for it, plain ones fail.
          """)
    }

    @Test("several capabilities are listed on a line each")
    func several() throws {
      #expect(
        try told(
          "function effect.go(self) self:mail() end\nfunction effect.pay(self) self:charge(1) end")
            == """
            order.lua calls capabilities that nobody provides:
              root.mail      order.lua:4
              root.charge    order.lua:5
            Provide them in order.host.lua, or start with --missing wait: durable effects then wait for them, plain ones fail.
            """)
    }
  }
#endif
