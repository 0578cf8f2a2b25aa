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

  /// A host that waited has its frame now.
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
    shown = shown.filter { now < $0.value.advanced(by: interval) }
    guard let last = shown[host] else {
      shown[host] = now
      return true
    }
    due[host] = last.advanced(by: interval)
    setAlarm()
    return false
  }

  func didShow(_ host: UInt64) {
    shown[host] = alarm.clock.now
    due[host] = nil
    setAlarm()
  }

  private func setAlarm() {
    guard let next = due.values.min() else { return alarm.cancel() }
    alarm.set(next) { [weak self] in self?.ring() }
  }

  private func ring() {
    let now = alarm.clock.now
    let hosts = due.filter { $0.value <= now }.map(\.key)
    for host in hosts {
      shown[host] = now
      due[host] = nil
    }
    setAlarm()
    onDue(hosts)
  }
}
