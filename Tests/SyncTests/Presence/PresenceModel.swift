import SignalsSync

/// The expected contents of a table: a plain list of devices, searched and sorted each time.
struct PresenceModel {
  struct Device {
    let user: String
    let name: String
    var payload: [UInt8]?
    /// The number of the change that set the payload.
    var change = 0
    var lastHeartbeat: Int
  }

  private var devices: [Device] = []
  private var now = Int.min
  private var changes = 0
  private let timeToLive = 30

  /// - Returns: Whether the device is new.
  mutating func heartbeat(
    of user: String, device name: String, payload: [UInt8]?, at time: Int
  ) -> Bool {
    now = max(now, time)
    let known = remove(user, device: name)
    var device = known ?? Device(user: user, name: name, payload: nil, lastHeartbeat: now)
    device.lastHeartbeat = now
    if let payload, device.payload != payload {
      changes += 1
      (device.payload, device.change) = (payload, changes)
    }
    devices.append(device)
    return known == nil
  }

  @discardableResult
  mutating func remove(_ user: String, device: String) -> Device? {
    let index = devices.firstIndex { $0.user == user && $0.name == device }
    return index.map { devices.remove(at: $0) }
  }

  /// The devices that expire; `devices` is in the order of the last heartbeats.
  mutating func advance(to time: Int) -> [PresenceDevice] {
    now = max(now, time)
    let expired = devices.filter { $0.lastHeartbeat + timeToLive <= now }
    devices.removeAll { $0.lastHeartbeat + timeToLive <= now }
    return expired.map { PresenceDevice(user: $0.user, name: $0.name) }
  }

  var nextDeadline: Int? { devices.map { $0.lastHeartbeat + timeToLive }.min() }

  /// The payloads of the present users.
  var payloads: [String: [UInt8]] {
    var payloads: [String: [UInt8]] = [:]
    for device in devices.sorted(by: { $0.change < $1.change }) {
      payloads[device.user] = device.payload ?? []
    }
    return payloads
  }
}
