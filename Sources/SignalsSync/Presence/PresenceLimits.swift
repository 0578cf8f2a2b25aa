/// The largest amounts that a ``PresenceTable`` accepts from its devices.
public struct PresenceLimits: Sendable, Equatable {
  /// The size of a payload in bytes.
  public var payloadSize: Int
  /// The length of the name of a user or a device in bytes of UTF-8.
  public var nameSize: Int
  /// The number of devices of a user.
  public var devicesPerUser: Int
  /// The number of users with devices at this table.
  public var users: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - payloadSize: The size of a payload in bytes.
  ///   - nameSize: The length of the name of a user or a device in bytes of UTF-8.
  ///   - devicesPerUser: The number of devices of a user.
  ///   - users: The number of users with devices at this table.
  public init(
    payloadSize: Int = 1_024, nameSize: Int = 256, devicesPerUser: Int = 16, users: Int = 100_000
  ) {
    self.payloadSize = payloadSize
    self.nameSize = nameSize
    self.devicesPerUser = devicesPerUser
    self.users = users
  }
}

/// The limit that a heartbeat exceeds.
///
/// The heartbeat is refused as a whole, and the table isn't changed.
public enum PresenceError: Error, Equatable, CustomStringConvertible {
  /// A payload has more bytes than ``PresenceLimits/payloadSize``.
  case payloadTooLarge(user: String, device: String, size: Int, limit: Int)
  /// The name of a user or a device has more bytes than ``PresenceLimits/nameSize``.
  case nameTooLong(String, size: Int, limit: Int)
  /// A user has ``PresenceLimits/devicesPerUser`` devices, and the heartbeat is of a new one.
  case tooManyDevices(user: String, device: String, limit: Int)
  /// ``PresenceLimits/users`` users are present, and the heartbeat is of a new one.
  case tooManyUsers(user: String, limit: Int)

  /// A message that names the user and the limit.
  public var description: String {
    switch self {
    case .payloadTooLarge(let user, let device, let size, let limit):
      "the payload of \(user) on \(device) has \(size) bytes; at most \(limit) are allowed"
    case .nameTooLong(let name, let size, let limit):
      "the name \(Self.shortened(name)) has \(size) bytes; at most \(limit) are allowed"
    case .tooManyDevices(let user, let device, let limit):
      "\(user) can't join on \(device): it is present on \(limit) devices, the most allowed"
    case .tooManyUsers(let user, let limit):
      "\(user) can't join: \(limit) users are present, the most allowed"
    }
  }

  /// The beginning of a name that may be of any length.
  private static func shortened(_ name: String) -> String {
    let beginning = name.prefix(32)
    return beginning.endIndex == name.endIndex ? name : "\(beginning)…"
  }
}
