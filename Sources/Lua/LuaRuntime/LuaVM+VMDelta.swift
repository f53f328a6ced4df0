import CLatch

/// Several contents that take turns in one VM, each stored as its difference from the image.
extension LuaVM {
  /// The difference between a VM and its image.
  package final class VMDelta {
    fileprivate var delta: OpaquePointer?
    fileprivate let cache: Cache
    /// The approximate size, in bytes.
    package let size: Int

    fileprivate init(_ delta: OpaquePointer, _ cache: Cache) {
      (self.delta, self.cache, size) = (delta, cache, latch_delta_size(delta))
    }

    deinit { if let delta { latch_drop_delta(delta) } }
  }

  /// Restores the VM to its image, as `goBack` does, but keeps the provided host functions.
  ///
  /// Returns false without an image, or while something runs.
  package func beginAgain() -> Bool {
    guard let cacheAtImage, latch_go_back(latch) else { return false }
    cache = cacheAtImage
    return true
  }

  /// Stores the difference between the VM and its image, then restores the image.
  ///
  /// The provided host functions stay. If the difference takes more than `most` bytes, garbage is collected first.
  /// A script could notice that only by the instructions it takes to grow a stack again.
  ///
  /// Returns nil, and changes nothing, without an image, while something runs, or if memory runs out.
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

  /// Applies a stored difference to the VM, whose content must be that of its image.
  package func takeUp(_ other: VMDelta) {
    guard let delta = other.delta else { return }
    other.delta = nil
    latch_take_up(latch, delta)
    cache = other.cache
  }

  /// Collects garbage so that few bytes differ from the image.
  ///
  /// Lua marks reachable objects in one of two colors, and each collection switches to the other. In one of the
  /// two, all unchanged objects look as they do in the image.
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
