// When the frames of hosts are due under a frame rate.
//
// State of a pace: `shown`, when each host had its last frame, as long as that is less than an
// interval ago; `due`, when each waiting host may have its next frame. The alarm is set to the
// earliest time in `due`.

/// Decides when a host may have its next frame.
protocol FramePace: AnyObject {
  /// Called with the hosts whose frames are due.
  var onDue: ([UInt64]) -> Void { get set }

  /// Whether a host may have its frame now, which then counts as shown.
  ///
  /// If not, `onDue` reports the host later.
  func mayShow(_ host: UInt64) -> Bool

  /// Notes that a host gets a frame now without having asked for it.
  func didShow(_ host: UInt64)
}

final class RatePace<C: Clock>: FramePace where C.Duration == Duration {
  var onDue: ([UInt64]) -> Void = { _ in }
  private let interval: Duration
  private let alarm: Alarm<C>
  private var shown: [UInt64: C.Instant] = [:]
  private var due: [UInt64: C.Instant] = [:]

  init(_ interval: Duration, alarm: Alarm<C>) {
    self.interval = interval
    self.alarm = alarm
  }

  func mayShow(_ host: UInt64) -> Bool {
    let now = alarm.clock.now
    guard let last = shown[host], now < last.advanced(by: interval) else {
      note(host, at: now)
      return true
    }
    due[host] = last.advanced(by: interval)
    setAlarm()
    return false
  }

  func didShow(_ host: UInt64) {
    note(host, at: alarm.clock.now)
    due[host] = nil
    setAlarm()
  }

  /// Notes a frame, and drops entries older than an interval, so that released hosts don't pile up.
  private func note(_ host: UInt64, at now: C.Instant) {
    shown = shown.filter { now < $0.value.advanced(by: interval) }
    shown[host] = now
  }

  private func setAlarm() {
    guard let next = due.values.min() else { return alarm.cancel() }
    alarm.set(Deadline(next)) { [weak self] in self?.ring() }
  }

  private func ring() {
    let now = alarm.clock.now
    let hosts = due.filter { $0.value <= now }.map(\.key)
    for host in hosts {
      note(host, at: now)
      due[host] = nil
    }
    setAlarm()
    onDue(hosts)
  }
}
