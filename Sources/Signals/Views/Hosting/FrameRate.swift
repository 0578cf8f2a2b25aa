// When the frames of hosts are due at a rate.
//
// State of a pace: `shown`, when each host had its last frame, as far as that still matters; `due`, when those
// that wait may have the next; the alarm is set for the earliest of these.

/// Decides when a host may have its next frame.
protocol FramePace: AnyObject {
  /// Gets the hosts whose frames are due.
  var onDue: ([UInt64]) -> Void { get set }

  /// Whether a host may have its frame now, which it then has; if not `onDue` names it later.
  func mayShow(_ host: UInt64) -> Bool

  /// A host has a frame now that it did not ask for.
  func didShow(_ host: UInt64)
}

final class RatePace<C: Clock>: FramePace where C.Duration == Duration {
  var onDue: ([UInt64]) -> Void = { _ in }
  private let interval: Duration
  private let alarm: Alarm<C>
  private var shown: [UInt64: C.Instant] = [:]
  private var due: [UInt64: C.Instant] = [:]

  init(_ interval: Duration, _ alarm: Alarm<C>) {
    self.interval = interval
    self.alarm = alarm
  }

  func mayShow(_ host: UInt64) -> Bool {
    let now = alarm.clock.now
    guard let last = shown[host], now < last.advanced(by: interval) else {
      note(host, now)
      return true
    }
    due[host] = last.advanced(by: interval)
    setAlarm()
    return false
  }

  func didShow(_ host: UInt64) {
    note(host, alarm.clock.now)
    due[host] = nil
    setAlarm()
  }

  /// Hosts come and go: what is long ago is forgotten.
  private func note(_ host: UInt64, _ now: C.Instant) {
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
      note(host, now)
      due[host] = nil
    }
    setAlarm()
    onDue(hosts)
  }
}
