#if Server
  import Platform

  /// An address of the Internet Protocol, of version 4 or 6.
  struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// Its 4 or 16 bytes, the most significant one first.
    let bytes: [UInt8]

    /// Reads an address such as `10.0.0.1` or `fd00::1`; nil for anything else, such as a name.
    init?(_ text: String) {
      var four = in_addr()
      if inet_pton(AF_INET, text, &four) == 1 {
        bytes = withUnsafeBytes(of: four) { Array($0) }
        return
      }
      var six = in6_addr()
      guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
      bytes = withUnsafeBytes(of: six) { Array($0) }
    }

    /// Reads the address of a socket; nil for one of another protocol.
    init?(_ socket: UnsafePointer<sockaddr>) {
      let start = UnsafeRawPointer(socket)
      switch Int32(socket.pointee.sa_family) {
      case AF_INET:
        let address = start.loadUnaligned(as: sockaddr_in.self).sin_addr
        bytes = withUnsafeBytes(of: address) { Array($0) }
      case AF_INET6:
        let address = start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        bytes = withUnsafeBytes(of: address) { Array($0) }
      default: return nil
      }
    }

    /// An address of version 4 that is a part of one of version 6.
    init(version4 bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    var isVersion4: Bool { bytes.count == 4 }

    var description: String {
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      let size = socklen_t(text.count)
      let family = isVersion4 ? AF_INET : AF_INET6
      guard inet_ntop(family, bytes, &text, size) != nil else { return "?" }
      return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }
#endif
