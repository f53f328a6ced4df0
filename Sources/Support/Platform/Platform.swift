// What a system calls its C library, and how much of Foundation there is at the least: whoever imports this
// module has both. The whole of Foundation is taken only where there is no smaller one.

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#else
  @_exported import Darwin
#endif

#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
