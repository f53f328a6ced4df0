/// A buffer of bytes that is filled again and again in the same memory.
final class ByteBuffer {
  private(set) var count = 0
  private var room = 1 << 8
  private var memory: UnsafeMutablePointer<UInt8>

  init() { memory = .allocate(capacity: room) }

  deinit { memory.deallocate() }

  /// A pointer to the first byte, valid until more bytes are appended.
  var start: UnsafePointer<UInt8> { UnsafePointer(memory) }

  /// The bytes of the buffer, valid until it changes.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: memory, count: count) }

  func clear() { count = 0 }

  func append(_ byte: UInt8) {
    if count == room { grow(for: 1) }
    memory[count] = byte
    count += 1
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    if room - count < bytes.count { grow(for: bytes.count) }
    (memory + count).update(from: start, count: bytes.count)
    count += bytes.count
  }

  private func grow(for more: Int) {
    room = max(2 * room, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
    larger.update(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }
}
