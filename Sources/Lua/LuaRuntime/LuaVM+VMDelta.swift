import CLatch

/// Lives of one VM that take turns in it: each is kept as what it differs in from the image.
extension LuaVM {
  /// What a VM has become since its image was kept.
  package final class VMDelta {
    fileprivate var delta: OpaquePointer?
    fileprivate let cache: Cache
    /// The bytes that it takes, about.
    package let size: Int

    fileprivate init(_ delta: OpaquePointer, _ cache: Cache) {
      (self.delta, self.cache, size) = (delta, cache, latch_delta_size(delta))
    }

    deinit { if let delta { latch_drop_delta(delta) } }
  }

  /// Makes the VM what it was when its image was kept, as `goBack` does, for whoever provided what
  /// it asks: that stays provided.
  package func beginAgain() -> Bool {
    guard let cacheAtImage, latch_go_back(latch) else { return false }
    cache = cacheAtImage
    return true
  }

  /// Puts aside what the VM is now, and makes it what it was when its image was kept.
  ///
  /// What is provided stays so. What takes more than `most` bytes is collected garbage from first: of all
  /// that a script could tell, only what it takes to grow a stack again may come to more instructions.
  ///
  /// Gives nil, and changes nothing, without an image, while something runs, or without memory.
  package func putAside(collectingAbove most: Int) -> VMDelta? {
    guard let cacheAtImage else { return nil }
    var put = latch_save_delta(latch, most)
    if put == nil {
      collectForAside()
      put = latch_save_delta(latch, .max)
    }
    guard let delta = put else { return nil }
    defer { cache = cacheAtImage }
    return VMDelta(delta, cache)
  }

  /// Makes the VM what was put aside; it has to be what it was when its image was kept.
  package func takeUp(_ other: VMDelta) {
    guard let delta = other.delta else { return }
    other.delta = nil
    latch_take_up(latch, delta)
    cache = other.cache
  }

  /// Lua marks what it has looked at in one of two colors, and with every collection changes to the other:
  /// in one of them all that has not changed looks as it does in the image.
  private func collectForAside() {
    collectGarbage()
    let once = latch_changed_bytes(latch)
    collectGarbage()
    if latch_changed_bytes(latch) > once {
      collectGarbage()
      _ = latch_changed_bytes(latch)
    }
  }
}
