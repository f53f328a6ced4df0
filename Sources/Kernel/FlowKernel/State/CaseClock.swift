/// The clock of a case: its own time, and the time of the wall clock at that moment.
///
/// Times of timers, commits and effects count from the beginning of the case, so that they depend on nothing outside of
/// it. `wall` relates them to the calendar. The two advance together: after a restart, as much time passes for the case
/// as has passed by the wall clock since `wall`, even if the case has been undone or begun anew before. All times are
/// whole microseconds; those of the wall clock count from 1970.
package struct CaseClock: Sendable, Hashable {
  /// The birth time of the case by the wall clock; nil for a host without a case.
  package private(set) var born: Int?
  /// The time of the case, from its beginning.
  package private(set) var now = 0
  /// The wall clock's time when the time of the case was `now`.
  package private(set) var wall: Int

  /// Creates a clock that begins at a time of the wall clock.
  package init(wall: Int, isCase: Bool = false) { (born, self.wall) = (isCase ? wall : nil, wall) }

  /// Creates a clock from its stored values; nil if a time is beyond the range of `EngineTime`.
  package init?(born: Int?, now: Int, wall: Int) {
    let times = -EngineTime.last...EngineTime.last
    guard times.contains(born ?? 0), times.contains(wall), now >= 0, times.contains(now) else {
      return nil
    }
    (self.born, self.now, self.wall) = (born, now, wall)
  }

  /// The wall clock's time at the time 0 of the case, extrapolated from now.
  package var epoch: Int { wall - now }

  /// Returns the wall clock's time at a time of the case.
  package func wall(at time: Int) -> Int { EngineTime.later(epoch, by: time) }

  /// Returns the time of the case at a time of the wall clock; it is never before `now`.
  package func time(atWall later: Int) -> Int { EngineTime.later(now, by: max(0, later - wall)) }

  /// Advances to a time of the case, and the wall clock by as much.
  package mutating func pass(to time: Int) {
    wall = EngineTime.later(wall, by: time - now)
    now = time
  }

  /// Sets the wall clock's time, which may differ from the time passed if the wall clock was adjusted.
  package mutating func set(wall now: Int) { wall = now }

  /// Sets the time of the case back, and leaves the wall clock's time unchanged.
  package mutating func goBack(to time: Int) { now = time }

  /// Restarts the clock at the wall clock's time of an old clock, which is also the new birth time of its case.
  mutating func beginAnew(after old: CaseClock) {
    wall = old.wall
    born = old.born == nil ? nil : EngineTime.later(old.wall, by: -now)
  }

  /// Takes over birth and wall clock's time from an old clock after a replay; `now` stays.
  mutating func takeOver(_ old: CaseClock) { (born, wall) = (old.born, old.wall) }

  /// Sets the birth time of the case, and the wall clock's time accordingly.
  package mutating func give(birth: Int) {
    (born, wall) = (birth, EngineTime.later(birth, by: now))
  }
}
