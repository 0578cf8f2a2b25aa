/// Decides when hosts make their frames.
///
/// State: `waiting`, the frames asked for and not made, by the order in which their hosts were made.
public final class FrameClock {
  private let isManual: Bool
  private var waiting: [UInt64: () -> Void] = [:]

  private init(isManual: Bool) { self.isManual = isManual }

  /// A frame after each commit, before the write that caused it returns.
  public static var immediate: FrameClock { FrameClock(isManual: false) }

  /// A frame when ``tick()`` is called: what happened in between is one frame.
  public static var manual: FrameClock { FrameClock(isManual: true) }

  /// Whether a host waits for a frame.
  public var isWaiting: Bool { !waiting.isEmpty }

  /// Makes the frames that were asked for, in the order in which their hosts were made.
  ///
  /// Within a transaction or a batch they are made when the outermost ends: no frame shows half of one.
  public func tick() {
    let frames = waiting.sorted { $0.key < $1.key }
    waiting = [:]
    batch { for frame in frames { frame.value() } }
  }

  /// Whether a host may make its frame now; if not it is called by the tick that allows it.
  func allows(_ host: UInt64, _ frame: @escaping () -> Void) -> Bool {
    if isManual { waiting[host] = frame }
    return !isManual
  }
}
