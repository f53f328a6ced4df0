#if Server && PostgreSQL
  import FlowPostgres
  import SharedCommands

  extension PostgresReader: KeptJournal {}
#endif
