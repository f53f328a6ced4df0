import LuaRuntime

/// The net changes of records in a transaction.
///
/// A record that is added and then moved counts as added in its last place; one that is added and then removed does not
/// count.
struct RecordChanges {
  private struct Place: Hashable {
    let machine: Int32
    let keys: [Value]
  }

  private var notes: [LuaVM.RecordNote?] = []
  /// The indices of the notes that say where a record is now, by that place.
  private var standing: [Place: Int] = [:]

  package var isEmpty: Bool { notes.isEmpty }

  package var all: [LuaVM.RecordNote] { notes.compactMap { $0 } }

  /// Adds later changes, which happened at the same time.
  package mutating func add(_ later: [LuaVM.RecordNote]) {
    let before = standing
    for note in later {
      if case .went(let machine, let keys) = note {
        standing[Place(machine: machine, keys: keys)] = nil
      }
      if case .moved(let machine, let from, _) = note {
        standing[Place(machine: machine, keys: from)] = nil
      }
    }
    for note in later {
      switch note {
      case .came(let machine, let keys): add(note, standingAt: Place(machine: machine, keys: keys))
      case .went(let machine, let keys):
        guard let earlier = before[Place(machine: machine, keys: keys)] else {
          notes.append(note)
          continue
        }
        if case .moved(_, let from, _) = notes[earlier] {
          notes[earlier] = .went(machine: machine, keys: from)
        } else {
          notes[earlier] = nil
        }
      case .moved(let machine, let from, let to):
        let place = Place(machine: machine, keys: to)
        guard let earlier = before[Place(machine: machine, keys: from)] else {
          add(note, standingAt: place)
          continue
        }
        notes[earlier] =
          if case .moved(_, let first, _) = notes[earlier] {
            first == to ? nil : .moved(machine: machine, from: first, to: to)
          } else {
            .came(machine: machine, keys: to)
          }
        if notes[earlier] != nil { standing[place] = earlier }
      }
    }
  }

  private mutating func add(_ note: LuaVM.RecordNote, standingAt place: Place) {
    notes.append(note)
    standing[place] = notes.count - 1
  }
}
