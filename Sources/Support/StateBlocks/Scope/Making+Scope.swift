extension Making {
  /// Runs a factory's closure.
  ///
  /// Throws `ScopeError.circular` if the thread is already running the factory of this instance further up its stack.
  static func run<Product>(
    _ member: String, of instance: ScopeCore, _ body: () throws -> Product
  ) throws -> Product {
    let record = ThreadRecord.current
    let path = "\(instance.path).\(member)"
    var paths: [String] = []
    var next = record.pointee.making
    while let making = next?.takeUnretainedValue() {
      paths.append(making.path)
      if making.instance === instance && making.path == path {
        throw ScopeError.circular(chain: paths.reversed() + [path])
      }
      next = making.outer
    }
    let making = Making(instance, path, inside: record.pointee.making)
    return try withExtendedLifetime(making) {
      record.pointee.making = Unmanaged.passUnretained(making)
      defer { record.pointee.making = making.outer }
      return try body()
    }
  }
}
