// The system's C library and the smallest available part of Foundation, both re-exported to every file that imports
// this module. The whole of Foundation is imported only if FoundationEssentials does not exist.

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
