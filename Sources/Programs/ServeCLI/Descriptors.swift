#if Server
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// How many files and connections the process may have open.
  enum Descriptors {
    /// Raises it as far as the system lets us.
    static func raise(to number: Int) {
      var limit = rlimit()
      #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let kind = RLIMIT_NOFILE
      #endif
      guard getrlimit(kind, &limit) == 0, limit.rlim_cur < rlim_t(number) else { return }
      limit.rlim_cur = min(rlim_t(number), limit.rlim_max)
      _ = setrlimit(kind, &limit)
    }
  }
#endif
