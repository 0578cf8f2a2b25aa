/// Decides when hosts make their frames.
///
/// State: `waiting`, the frames asked for and not made, by the order in which their hosts were made.
public final class FrameClock {
  private let isManual: Bool
  private let pace: (any FramePace)?
  private var waiting: [UInt64: () -> Void] = [:]

  private init(isManual: Bool, pace: (any FramePace)? = nil) {
    self.isManual = isManual
    self.pace = pace
    pace?.onDue = { [unowned self] hosts in show(hosts) }
  }

  /// A frame after each commit, before the write that caused it returns.
  public static var immediate: FrameClock { FrameClock(isManual: false) }

  /// A frame when ``tick()`` is called: what happened in between is one frame.
  public static var manual: FrameClock { FrameClock(isManual: true) }

  /// At most so many frames a second for each host; the last state is always shown.
  ///
  /// - A commit after a quiet time is shown at once, as by ``immediate``.
  /// - What is committed sooner than an interval after the host's last frame is one frame, when the interval
  ///   is over.
  /// - Nothing waits on the clock while nothing changes.
  ///
  /// It must be made on the actor of its hosts, where its timer runs: without one it traps, as it does if
  /// the rate is not positive and finite.
  ///
  /// ```swift
  /// let host = ViewHost(store, renderer: renderer, clock: .rate(30)) { Screen() }
  /// ```
  public static func rate<C: Clock>(
    _ framesPerSecond: Double, clock: C = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> FrameClock where C.Duration == Duration {
    if !(framesPerSecond > 0 && framesPerSecond.isFinite) {
      trap("FrameClock.rate(\(framesPerSecond)): a rate must be positive and finite")
    }
    let isolation = TaskIsolation(isolation, "FrameClock.rate")
    let interval = Duration.seconds(1 / framesPerSecond)
    return FrameClock(isManual: false, pace: RatePace(interval, Alarm(clock, isolation)))
  }

  /// Whether a host waits for a frame.
  public var isWaiting: Bool { !waiting.isEmpty }

  /// Makes the frames that were asked for, in the order in which their hosts were made.
  ///
  /// Within a transaction or a batch they are made when the outermost ends: no frame shows half of one.
  public func tick() {
    for host in waiting.keys { pace?.didShow(host) }
    show(Array(waiting.keys))
  }

  private func show(_ hosts: [UInt64]) {
    let frames = hosts.sorted().compactMap { waiting.removeValue(forKey: $0) }
    batch { for frame in frames { frame() } }
  }

  /// A host has gone, and waits for no frame any more.
  func forget(_ host: UInt64) { waiting[host] = nil }

  /// A host has made its first frame, which nobody asked the clock for.
  func didShowFirst(_ host: UInt64) { pace?.didShow(host) }

  /// Whether a host may make its frame now; if not it is called by the tick that allows it.
  func allows(_ host: UInt64, _ frame: @escaping () -> Void) -> Bool {
    if let pace, waiting[host] == nil, pace.mayShow(host) { return true }
    if isManual || pace != nil { waiting[host] = frame }
    return !isManual && pace == nil
  }
}
