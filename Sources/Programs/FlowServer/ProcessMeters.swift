#if Server
  import Platform

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The system's figures about this process; nil without `/proc`.
  enum ProcessMeters {
    /// The resident memory, in bytes.
    static var residentMemory: Int? {
      guard let file = fopen("/proc/self/statm", "r") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 128)
      guard fgets(&line, Int32(line.count), file) != nil else { return nil }
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let numbers = text.split(separator: " ")
      guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
      return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The number of open file descriptors.
    static var openDescriptors: Int? {
      guard let folder = opendir("/proc/self/fd") else { return nil }
      defer { closedir(folder) }
      var count = 0
      while readdir(folder) != nil { count += 1 }
      // Does not count the entries `.` and `..`, and the descriptor of this look.
      return max(0, count - 3)
    }
  }
#endif
