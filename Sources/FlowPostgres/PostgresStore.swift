#if PostgreSQL
  import CPQ
  import Moonlatch

  /// The version of libpq, to begin with.
  package func libpqVersion() -> Int { Int(PQlibVersion()) }
#endif
