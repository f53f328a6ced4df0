#if Server
  import HostFiles
  import Testing

  @testable import HTTPTasks

  /// The purposes of addresses, and the addresses that a request may be sent to.
  @Suite struct NetworkAddressTests {
    private static let table: [(String, NetworkAddress.Use)] = [
      ("0.0.0.0", .unspecified), ("0.255.255.255", .unspecified), ("1.0.0.0", .global),
      ("9.255.255.255", .global), ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse),
      ("11.0.0.0", .global), ("100.63.255.255", .global), ("100.64.0.0", .shared),
      ("100.100.100.200", .metadata), ("100.127.255.255", .shared), ("100.128.0.0", .global),
      ("126.255.255.255", .global), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
      ("128.0.0.0", .global), ("168.63.129.15", .global), ("168.63.129.16", .metadata),
      ("168.63.129.17", .global), ("169.253.255.255", .global), ("169.254.0.0", .metadata),
      ("169.254.169.254", .metadata), ("169.254.255.255", .metadata), ("169.255.0.0", .global),
      ("172.15.255.255", .global), ("172.16.0.0", .privateUse), ("172.31.255.255", .privateUse),
      ("172.32.0.0", .global), ("192.0.0.1", .reserved), ("192.0.0.192", .metadata),
      ("192.0.1.0", .global), ("192.0.2.1", .reserved), ("192.88.99.1", .reserved),
      ("192.167.255.255", .global), ("192.168.0.0", .privateUse), ("192.168.255.255", .privateUse),
      ("192.169.0.0", .global), ("198.17.255.255", .global), ("198.18.0.0", .reserved),
      ("198.19.255.255", .reserved), ("198.20.0.0", .global), ("198.51.100.1", .reserved),
      ("203.0.113.1", .reserved), ("223.255.255.255", .global), ("224.0.0.1", .multicast),
      ("239.255.255.255", .multicast), ("240.0.0.1", .reserved), ("255.255.255.255", .reserved),
      ("::", .unspecified), ("::1", .loopback), ("::2", .unspecified),
      ("2000::1", .global), ("2606:4700:4700::1111", .global), ("3fff:1000::1", .global),
      ("2001::1", .reserved), ("2001:1ff::1", .reserved), ("2001:200::1", .global),
      ("2001:db8::1", .reserved), ("2001:db9::1", .global), ("3fff::1", .reserved),
      ("100::1", .reserved), ("4000::1", .reserved), ("fbff::1", .reserved),
      ("fc00::1", .privateUse), ("fd00::1", .privateUse), ("fdff:ffff::1", .privateUse),
      ("fd00:ec2::254", .metadata), ("fd00:ec2::255", .privateUse), ("fd20:ce::254", .metadata),
      ("fe00::1", .reserved), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
      ("fec0::1", .privateUse), ("ff02::1", .multicast),
      // Version 4 within version 6: mapped, translated, compatible, by NAT64, by 6to4.
      ("::ffff:127.0.0.1", .loopback), ("::ffff:169.254.169.254", .metadata),
      ("::ffff:8.8.8.8", .global), ("::ffff:0:10.0.0.1", .privateUse), ("::10.0.0.1", .privateUse),
      ("64:ff9b::10.0.0.1", .privateUse), ("64:ff9b::169.254.169.254", .metadata),
      ("64:ff9b::8.8.8.8", .global), ("64:ff9b:1::8.8.8.8", .privateUse),
      ("2002:7f00:1::", .loopback), ("2002:a9fe:a9fe::1", .metadata),
      ("2002:c0a8:1::1", .privateUse),
      ("2002:808:808::1", .global),
    ]

    @Test("each address has the purpose that IANA's registries give it", arguments: table)
    func uses(text: String, use: NetworkAddress.Use) throws {
      #expect(try #require(NetworkAddress(text)).use == use)
    }

    @Test(
      "names and addresses in other forms are no addresses",
      arguments: [
        "", "localhost", "127.1", "2130706433", "0x7f000001", "1.2.3.4.5", "[::1]", "::g",
      ])
    func names(text: String) {
      #expect(NetworkAddress(text) == nil)
    }

    @Test("an address is shown as it is written", arguments: ["10.0.0.1", "::1", "fd00:ec2::254"])
    func descriptions(text: String) throws {
      #expect(try #require(NetworkAddress(text)).description == text)
    }

    private func refusal(_ network: HTTPTaskNetwork, _ address: String) throws -> String? {
      network.refusal(of: try #require(NetworkAddress(address)), for: "bank.example")
    }

    @Test("public addresses are allowed in every network")
    func global() throws {
      for network in [HTTPTaskNetwork.publicOnly, .privateToo, .named] {
        #expect(try refusal(network, "8.8.8.8") == nil)
        #expect(try refusal(network, "2606:4700:4700::1111") == nil)
      }
    }

    @Test(
      "special addresses are refused, unless private ones are allowed",
      arguments: [
        ("127.0.0.1", "a loopback address"), ("10.1.2.3", "a private address"),
        ("fd00::1", "a private address"), ("100.64.0.1", "a shared address"),
        ("fe80::1", "a link-local address"), ("224.0.0.1", "a multicast address"),
        ("0.0.0.0", "an unspecified address"), ("240.0.0.1", "a reserved address"),
        ("::ffff:10.0.0.1", "a private address"),
      ])
    func special(address: String, title: String) throws {
      let refusal = try refusal(.publicOnly, address)
      #expect(
        refusal
          == "bank.example is at \(address), \(title): set private = true, or start with --allow-private"
      )
      #expect(try self.refusal(.privateToo, address) == nil)
      #expect(try self.refusal(.named, address) == nil)
    }

    @Test(
      "a cloud's metadata are refused, unless the URL has the address itself",
      arguments: ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254"])
    func metadata(address: String) throws {
      for network in [HTTPTaskNetwork.publicOnly, .privateToo] {
        #expect(
          try refusal(network, address)
            == "bank.example is at \(address), an address of a cloud's metadata: "
            + "only a URL with the address itself may name it")
      }
      #expect(try refusal(.named, address) == nil)
    }
  }
#endif
