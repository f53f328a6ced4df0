#if !PostgreSQL
  /// A journal in PostgreSQL, which is there only with the trait `PostgreSQL`.
  @available(
    *, unavailable,
    message: "FlowPostgres needs the trait PostgreSQL: name it in the dependency on Moonlatch."
  )
  public enum PostgresJournal {}
#endif
