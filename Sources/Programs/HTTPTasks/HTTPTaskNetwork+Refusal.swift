#if Server
  import HostFiles

  extension HTTPTaskNetwork {
    /// Returns the reason for which a host must not be asked at an address; nil if it may be.
    func refusal(of address: NetworkAddress, for host: String) -> String? {
      let use = address.use
      if self == .named || use == .global { return nil }
      let text = address.description
      let place = host == text ? "\(text) is" : "\(host) is at \(text),"
      if use == .metadata {
        return "\(place) \(use.title): only a URL with the address itself may name it"
      }
      if self == .privateToo { return nil }
      return "\(place) \(use.title): set private = true, or start with --allow-private"
    }
  }

  extension NetworkAddress.Use {
    fileprivate var title: String {
      switch self {
      case .global: "a public address"
      case .loopback: "a loopback address"
      case .privateUse: "a private address"
      case .shared: "a shared address"
      case .linkLocal: "a link-local address"
      case .metadata: "an address of a cloud's metadata"
      case .multicast: "a multicast address"
      case .unspecified: "an unspecified address"
      case .reserved: "a reserved address"
      }
    }
  }
#endif
