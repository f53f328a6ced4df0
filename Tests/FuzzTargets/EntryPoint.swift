import Platform

private let chosen: FuzzTarget? = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
  .flatMap(FuzzTarget.init)

/// The entry point of libFuzzer, which plays an input of the target that the environment names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> CInt {
  guard let chosen else { exit(64) }
  do {
    try chosen.play(Array(UnsafeBufferPointer(start: bytes, count: length)))
  } catch {
    print("\(chosen): \(error)")
    fflush(nil)
    abort()
  }
  return 0
}
