/// The clock of a case: what time it is for it, and what the wall clock showed then.
///
/// Times of timers, commits and effects count from the beginning of the case, so that they depend on nothing outside
/// of it. `wall` ties them to the calendar. The two move together: a restart lets as much time pass for the case as
/// passed by the wall clock since `wall`, wherever the case had gone back to or begun anew before. All times are whole
/// microseconds; those of the wall clock count from 1970.
package struct CaseClock: Sendable, Hashable {
  /// When the case was born; nil for a host that has no case.
  package private(set) var born: Int?
  /// The time of the case, from its beginning on.
  package private(set) var now = 0
  /// The wall clock's time when the time of the case was `now`.
  package private(set) var wall: Int

  /// The clock of what begins at a time of the wall clock.
  package init(wall: Int, isCase: Bool = false) { (born, self.wall) = (isCase ? wall : nil, wall) }

  /// The clock as it was written down; nil if a time is further away than `EngineTime` goes.
  package init?(born: Int?, now: Int, wall: Int) {
    let times = -EngineTime.last...EngineTime.last
    guard times.contains(born ?? 0), times.contains(wall), now >= 0, times.contains(now) else {
      return nil
    }
    (self.born, self.now, self.wall) = (born, now, wall)
  }

  /// The wall clock's time at the time 0 of the case, as far as the two ran on together.
  package var epoch: Int { wall - now }

  /// The wall clock's time at a time of the case.
  package func wall(at time: Int) -> Int { EngineTime.later(epoch, by: time) }

  /// The time of the case when the wall clock shows that much: never before what it is.
  package func time(atWall later: Int) -> Int { EngineTime.later(now, by: max(0, later - wall)) }

  /// Time passes, and as much by the wall clock.
  package mutating func pass(to time: Int) {
    wall = EngineTime.later(wall, by: time - now)
    now = time
  }

  /// The wall clock shows that much now, which may be other than what has passed: somebody has set it.
  package mutating func set(wall now: Int) { wall = now }

  /// It is as early as it was once, and as late by the wall clock as before.
  package mutating func goBack(to time: Int) { now = time }

  /// The flow has begun anew at `wall`, which is when its case was born too.
  mutating func beginAnew(after old: CaseClock) {
    wall = old.wall
    born = old.born == nil ? nil : EngineTime.later(old.wall, by: -now)
  }

  /// Takes over birth and wall clock, where what came from outside was played again: `now` is as it was played.
  mutating func takeOver(_ old: CaseClock) { (born, wall) = (old.born, old.wall) }

  /// The case is born at that time, and the wall clock goes on from there.
  package mutating func give(birth: Int) {
    (born, wall) = (birth, EngineTime.later(birth, by: now))
  }
}
