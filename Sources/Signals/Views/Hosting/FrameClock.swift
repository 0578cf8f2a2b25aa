// When hosts make their frames.
//
// State: `waiting`, the frames that were requested but not made yet, by the creation order of their
// hosts.

/// Decides when hosts make their frames.
public final class FrameClock {
  private let isManual: Bool
  private let pace: (any FramePace)?
  private var waiting: [UInt64: () -> Void] = [:]

  private init(isManual: Bool, pace: (any FramePace)? = nil) {
    self.isManual = isManual
    self.pace = pace
    pace?.onDue = { [unowned self] hosts in show(hosts) }
  }

  /// A clock that makes a frame after each commit, before the write that caused it returns.
  public static var immediate: FrameClock { FrameClock(isManual: false) }

  /// A clock that makes a frame when ``tick()`` is called; all changes in between are one frame.
  public static var manual: FrameClock { FrameClock(isManual: true) }

  /// A clock that limits the frame rate of each host; the last state is always shown.
  ///
  /// - A commit after a quiet period is shown immediately, as with ``immediate``.
  /// - Commits less than an interval after the host's last frame are combined into one frame, made
  ///   when the interval is over.
  /// - No timer runs while nothing changes.
  ///
  /// Make the clock on the actor of its hosts, where its timer runs. Traps without an actor, or if
  /// the rate isn't positive and finite.
  ///
  /// ```swift
  /// let host = ViewHost(store, renderer: renderer, clock: .rate(30)) { Screen() }
  /// ```
  ///
  /// - Parameters:
  ///   - framesPerSecond: The maximum number of frames of each host in a second.
  ///   - clock: The clock that measures the intervals.
  ///   - isolation: The actor on which the timer runs; by default, that of the caller.
  /// - Returns: The clock, for one host or several.
  public static func rate<C: Clock>(
    _ framesPerSecond: Double, clock: C = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) -> FrameClock where C.Duration == Duration {
    if !(framesPerSecond > 0 && framesPerSecond.isFinite) {
      trap("FrameClock.rate(\(framesPerSecond)): a rate must be positive and finite")
    }
    let isolation = TaskIsolation(isolation, of: "FrameClock.rate")
    let interval = Duration.seconds(1 / framesPerSecond)
    return FrameClock(isManual: false, pace: RatePace(interval, alarm: Alarm(clock, on: isolation)))
  }

  /// Whether any host waits for a frame.
  public var isWaiting: Bool { !waiting.isEmpty }

  /// Makes the frames that were requested, in the order in which their hosts were created.
  ///
  /// Within a transaction or a batch the frames are made when the outermost one ends, so that no
  /// frame shows half of it.
  public func tick() {
    for host in waiting.keys { pace?.didShow(host) }
    show(Array(waiting.keys))
  }

  private func show(_ hosts: [UInt64]) {
    let frames = hosts.sorted().compactMap { waiting.removeValue(forKey: $0) }
    batch { for frame in frames { frame() } }
  }

  /// Removes a host that was released, and no longer waits for a frame.
  func forget(_ host: UInt64) { waiting[host] = nil }

  /// Notes that a host has made its first frame, for which it doesn't ask the clock.
  func didShowFirst(_ host: UInt64) { pace?.didShow(host) }

  /// Whether a host may make its frame now.
  ///
  /// If not, the tick that allows the frame calls `frame`.
  func allows(_ host: UInt64, frame: @escaping () -> Void) -> Bool {
    if let pace, waiting[host] == nil, pace.mayShow(host) { return true }
    if isManual || pace != nil { waiting[host] = frame }
    return !isManual && pace == nil
  }
}
