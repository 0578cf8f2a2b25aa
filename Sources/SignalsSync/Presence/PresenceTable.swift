// Order of events: `heartbeat`, `leave` and `advance` change `devices`, the devices of this node.
// `apply` and `removeNode` change `nodes`, the users of other nodes. After each change of a user,
// `announce` derives its value for receivers. `nodeFeed` has the users of `devices` only, so that
// no node forwards users of another node, and is created at its first use. `viewFeed` has the users
// of all nodes. `now` is the latest time that was passed in, and `logicalTime` the largest stamp of
// a payload that this table has set or received.

internal import Signals

/// The users that are present on a node, by the heartbeats of their devices.
///
/// Presence is saved neither in a store nor in a log. Devices send heartbeats, and a device that
/// misses three windows has expired. The table collects the changes, and returns them in numbered
/// batches for any number of ``PresenceView``s.
///
/// ```swift
/// var table = PresenceTable(window: .seconds(20))
/// let start = ContinuousClock.now
///
/// // When a message of a device arrives, and at least once in each window:
/// try table.heartbeat(
///   of: "ann", device: "phone", payload: Array("typing".utf8), at: start.duration(to: .now))
///
/// // Each 50 to 100 ms, or earlier at `table.nextDeadline`:
/// table.advance(to: start.duration(to: .now))
/// if let difference = table.takeDifference() { send(difference) }
/// ```
///
/// - A user is present from the heartbeat of its first device until its last device has left or has
///   expired. A device name under two users is two devices, so that no user can end the presence of
///   another.
/// - A device expires three windows after its last heartbeat, when the table is advanced to that
///   time or a later one. A heartbeat that arrives before that call keeps the device present.
/// - The payload of a user is the latest one set by a device that is still present.
/// - A batch doesn't have a user that leaves and joins within it, or whose payload is the same at
///   its end.
/// - Time is passed in as the duration since an instant of your choice, which must be the same for
///   all calls. A time before the latest one counts as the latest one.
/// - A heartbeat that exceeds a limit is refused with a ``PresenceError``, and changes nothing.
///
/// ## Several nodes
///
/// Each node has a table, sends its own users to the other nodes, and applies theirs:
///
/// ```swift
/// if let difference = table.takeDifference(for: .nodes) { sendToNodes(difference) }
///
/// if table.apply(difference, from: "node-b") == .needsAll {
///   // Request `table.snapshot(for: .nodes)` of that node, and apply it.
/// }
/// table.removeNode("node-c")  // The node and its users have left.
/// ```
///
/// A user that is present on several nodes is one user. When all differences have arrived, all
/// nodes show the same users with the same payloads. A later payload replaces an earlier one that
/// its node knew, and all nodes choose the same one of two concurrent payloads.
///
/// - Complexity: O(1) for a heartbeat, for each device that expires, and for each change.
public struct PresenceTable: Sendable {
  /// The number of windows after which a device without a heartbeat expires.
  package static let missedWindows = 3

  /// The time in which each device sends at least one heartbeat.
  ///
  /// A new value applies to all devices from the next ``advance(to:)``. Make it longer before the
  /// devices send fewer heartbeats, and shorter after they send more.
  public var window: Duration {
    didSet { Self.check(window) }
  }
  /// The largest amounts that are accepted.
  public let limits: PresenceLimits
  /// A number that identifies the differences of this table.
  ///
  /// A node has another number after a restart.
  package let run: UInt64

  private var now: Duration?
  var logicalTime: UInt64 = 0
  package private(set) var devices = PresenceDevices()
  var nodes: [String: PresenceView] = [:]
  var viewFeed = PresenceFeed()
  var nodeFeed: PresenceFeed?

  /// Creates a table without users.
  ///
  /// - Parameters:
  ///   - window: The time in which each device sends at least one heartbeat. It must be positive.
  ///   - limits: The largest amounts that are accepted.
  ///   - run: A number that no other table has. It must be greater than the numbers of this node
  ///     before a restart, or receivers ignore the table as an earlier one. By default, it is the
  ///     time of day, and random below the millisecond.
  public init(
    window: Duration = .seconds(20), limits: PresenceLimits = PresenceLimits(),
    run: UInt64 = PresenceTable.newRun()
  ) {
    Self.check(window)
    self.window = window
    self.limits = limits
    self.run = run
  }

  /// Returns a number for a new table.
  public static func newRun() -> UInt64 {
    WallClock.milliseconds() << 20 | .random(in: 0..<1 << 20)
  }

  private static func check(_ window: Duration) {
    if window <= .zero { trap("PresenceTable(window: \(window)): a window must be positive") }
  }

  /// The users that are present on this node or another one.
  public var present: PresentUsers { viewFeed.present }

  /// The time at which the next device expires, or `nil` if no device is present.
  public var nextDeadline: Duration? {
    devices.oldest.map { $0.lastHeartbeat + window * Self.missedWindows }
  }

  /// Records that a device is present, and adds it if it isn't yet.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - device: The name of the device among those of the user.
  ///   - payload: The payload that the device sets, or `nil` to leave it as it is. Repeating the
  ///     payload of the device's last heartbeat has no effect.
  ///   - time: The present time.
  /// - Returns: Whether the device was added. If the device was present before, it has expired and
  ///   must send its payload again.
  /// - Throws: The limit that is exceeded. The table isn't changed then.
  /// - Complexity: O(1), or O(devices of the user).
  @discardableResult
  public mutating func heartbeat(
    of user: String, device: String, payload: [UInt8]? = nil, at time: Duration
  ) throws(PresenceError) -> Bool {
    let search = devices.search(device, user: user)
    if let payload { try checkSize(of: payload, user: user, device: device) }
    if search.slot == nil { try checkRoom(for: device, user: user, after: search) }
    let time = reached(time)
    if let slot = search.slot {
      devices.heartbeat(of: slot, at: time)
      if set(payload, of: slot) { announce(user, own: devices.present(first: search.first)) }
      return false
    }
    let slot = devices.insert(device, user: user, after: search, at: time)
    set(payload, of: slot)
    announce(user, own: devices.present(first: slot))
    return true
  }

  /// Removes a device that signs out.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - device: The name of the device among those of the user.
  /// - Returns: Whether it was present.
  @discardableResult
  public mutating func leave(_ user: String, device: String) -> Bool {
    guard let slot = devices.search(device, user: user).slot else { return false }
    devices.remove(slot)
    announce(user, own: devices.present(user))
    return true
  }

  /// Removes the devices whose deadline has passed.
  ///
  /// - Parameter time: The present time.
  /// - Returns: The devices, in the order of their deadlines.
  @discardableResult
  public mutating func advance(to time: Duration) -> [PresenceDevice] {
    let time = reached(time)
    var expired: [PresenceDevice] = []
    while let oldest = devices.oldest, let deadline = nextDeadline, deadline <= time {
      let device = devices.remove(oldest.slot)
      announce(device.user, own: devices.present(device.user))
      expired.append(device)
    }
    return expired
  }

  /// The time, which never decreases.
  private mutating func reached(_ time: Duration) -> Duration {
    let latest = now.map { max($0, time) } ?? time
    now = latest
    return latest
  }

  /// Sets the payload of a device, with a stamp later than all stamps known here.
  ///
  /// - Returns: Whether the payload has changed.
  @discardableResult
  private mutating func set(_ payload: [UInt8]?, of slot: Int) -> Bool {
    // Only another node can have set the largest stamp. Payloads with it are ordered by their
    // bytes.
    let stamp = logicalTime == .max ? .max : logicalTime + 1
    guard let payload, devices.setPayload(payload, of: slot, stamp: stamp) else { return false }
    logicalTime = stamp
    return true
  }

  /// Derives the values of a user for receivers; `own` is its value on this node.
  mutating func announce(_ user: String, own: PresentUser?) {
    nodeFeed?.set(user, to: own)
    var latest = own
    for node in nodes.values {
      guard let other = node.present[user] else { continue }
      if latest?.isOutranked(by: other) ?? true { latest = other }
    }
    viewFeed.set(user, to: latest?.withoutStamp)
  }
}

extension PresenceTable {
  private func checkSize(
    of payload: [UInt8], user: String, device: String
  ) throws(PresenceError) {
    if payload.count <= limits.payloadSize { return }
    throw .payloadTooLarge(
      user: user, device: device, size: payload.count, limit: limits.payloadSize)
  }

  /// Checks the limits before a device is added.
  private func checkRoom(
    for device: String, user: String, after search: PresenceDevices.Search
  ) throws(PresenceError) {
    for name in [user, device] where name.utf8.count > limits.nameSize {
      throw .nameTooLong(name, size: name.utf8.count, limit: limits.nameSize)
    }
    if search.count == 0, devices.userCount >= limits.users {
      throw .tooManyUsers(user: user, limit: limits.users)
    }
    if search.count >= limits.devicesPerUser {
      throw .tooManyDevices(user: user, device: device, limit: limits.devicesPerUser)
    }
  }
}
