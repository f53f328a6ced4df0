#if Server
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif
  import Platform

  import class Foundation.ProcessInfo

  /// The limit on files and connections that the process can open.
  enum Descriptors {
    struct TooFew: SystemRefusal {
      let limit: Int
      let needed: Int
      var description: String {
        "at most \(limit) files and connections may be open, and a server needs \(needed): raise the limit (ulimit -n)."
      }
    }

    /// The minimum number of descriptors for an idle server.
    ///
    /// Each event loop has three, and the process would end without them.
    private static var needed: Int { 48 + 4 * ProcessInfo.processInfo.processorCount }

    /// Raises the limit as far as the system allows.
    ///
    /// - Throws: `TooFew` if a server cannot even start with that.
    static func raise(to number: Int) throws(TooFew) {
      var limit = rlimit()
      #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let kind = RLIMIT_NOFILE
      #endif
      guard getrlimit(kind, &limit) == 0 else { return }
      if limit.rlim_cur < rlim_t(number) {
        limit.rlim_cur = min(rlim_t(number), limit.rlim_max)
        _ = setrlimit(kind, &limit)
      }
      if limit.rlim_cur < rlim_t(needed) {
        throw TooFew(limit: Int(limit.rlim_cur), needed: needed)
      }
    }
  }
#endif
