#if Server
  extension NetworkAddress {
    /// The purpose of an address, by IANA's registries of special-purpose addresses.
    enum Use: Sendable, Hashable {
      case global
      case loopback
      case privateUse
      /// Shared by the customers of a provider (CGNAT).
      case shared
      case linkLocal
      /// The metadata of a cloud, which hand out credentials to whoever asks.
      case metadata
      case multicast
      case unspecified
      case reserved
    }

    /// Addresses with the same first bits, of which all have the same purpose.
    private struct Block: Sendable {
      /// The first bytes; those that are missing are 0.
      let first: [UInt8]
      /// The number of bits that are the same.
      let length: Int
      let use: Use

      init(_ first: [UInt8], _ length: Int, _ use: Use) {
        (self.first, self.length, self.use) = (first, length, use)
      }

      func contains(_ bytes: [UInt8]) -> Bool {
        func expected(_ index: Int) -> UInt8 { index < first.count ? first[index] : 0 }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard (0..<whole).allSatisfy({ bytes[$0] == expected($0) }) else { return false }
        return rest == 0 || bytes[whole] >> (8 - rest) == expected(whole) >> (8 - rest)
      }
    }

    /// The purpose of the address.
    ///
    /// An address of version 6 that stands for one of version 4 has the purpose of that one.
    var use: Use {
      if isVersion4 { return Self.blocks4.first { $0.contains(bytes) }?.use ?? .global }
      if let block = Self.blocks6.first(where: { $0.contains(bytes) }) { return block.use }
      if let embedded { return embedded.use }
      return Self.global6.contains(bytes) ? .global : .reserved
    }

    /// The address of version 4 that one of version 6 stands for; nil if there is none.
    private var embedded: NetworkAddress? {
      if Self.sixToFour.contains(bytes) { return NetworkAddress(version4: bytes[2..<6]) }
      let isTranslated = Self.translated.contains { $0.contains(bytes) }
      return isTranslated ? NetworkAddress(version4: bytes[12..<16]) : nil
    }

    // The first block that contains an address decides.
    private static let blocks4 = [
      Block([0], 8, .unspecified),
      Block([10], 8, .privateUse),
      Block([100, 100, 100, 200], 32, .metadata),
      Block([100, 64], 10, .shared),
      Block([127], 8, .loopback),
      // A public address that Azure answers itself within its networks.
      Block([168, 63, 129, 16], 32, .metadata),
      Block([169, 254], 16, .metadata),
      Block([172, 16], 12, .privateUse),
      Block([192, 0, 0, 192], 32, .metadata),
      Block([192, 0, 0], 24, .reserved),
      Block([192, 0, 2], 24, .reserved),
      Block([192, 88, 99], 24, .reserved),
      Block([192, 168], 16, .privateUse),
      Block([198, 18], 15, .reserved),
      Block([198, 51, 100], 24, .reserved),
      Block([203, 0, 113], 24, .reserved),
      Block([224], 4, .multicast),
      Block([240], 4, .reserved),
    ]

    private static let blocks6 = [
      Block([], 128, .unspecified),
      Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, .loopback),
      // NAT64 within a network.
      Block([0x00, 0x64, 0xff, 0x9b, 0x00, 0x01], 48, .privateUse),
      // Protocols, Teredo among them.
      Block([0x20, 0x01, 0x00], 23, .reserved),
      Block([0x20, 0x01, 0x0d, 0xb8], 32, .reserved),
      Block([0x3f, 0xff], 20, .reserved),
      Block([0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128, .metadata),
      Block([0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128, .metadata),
      Block([0xfc], 7, .privateUse),
      Block([0xfe, 0x80], 10, .linkLocal),
      Block([0xfe, 0xc0], 10, .privateUse),
      Block([0xff], 8, .multicast),
    ]

    /// The addresses that are given out; all others are reserved.
    private static let global6 = Block([0x20], 3, .global)
    private static let sixToFour = Block([0x20, 0x02], 16, .global)
    /// Addresses whose last bytes are one of version 4: mapped, translated, by NAT64, compatible.
    private static let translated = [
      Block([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, .global),
      Block([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, .global),
      Block([0x00, 0x64, 0xff, 0x9b], 96, .global),
      Block([], 96, .global),
    ]
  }
#endif
