import StateCharts

/// The subject of a microstep: a machine of the state, a record's machine, or a session of a document.
package struct ChartSubject {
  package let machine: LoadedMachine
  /// The number of the record among the selected ones; 0 for a machine of the state or a session.
  package var record: UInt32 = 0
  /// The configuration, region by region.
  package let leafNumbers: [ChartInterpreter.LeafNumber]
}
