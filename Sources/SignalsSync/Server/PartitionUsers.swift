// The users that are present in a partition, as the server knows them.
//
// Invariant: `announced` has the values that all readers have which aren't behind. It differs from
// the present values only for the users in `changed`.

/// The users with connections that have joined a partition, and their changes since the last batch.
struct PartitionUsers {
  /// What a batch changes.
  struct Difference {
    /// The users that are new or have another status.
    var present: [(user: String, status: String)] = []
    var gone: [String] = []
  }

  /// A connection of a user, with its status.
  private struct Device {
    let connection: ObjectIdentifier
    var status: String
  }

  /// The devices of each user, the one that has set its status last at the end.
  private var devices: [String: [Device]] = [:]
  private var announced: [String: String] = [:]
  private var changed: Set<String> = []

  /// Adds the device of a connection, or sets its status.
  mutating func set(_ status: String, of connection: ObjectIdentifier, user: String) {
    remove(connection, of: user)
    devices[user, default: []].append(Device(connection: connection, status: status))
  }

  mutating func remove(_ connection: ObjectIdentifier, of user: String) {
    devices[user]?.removeAll { $0.connection == connection }
    if devices[user]?.isEmpty == true { devices[user] = nil }
    changed.insert(user)
  }

  /// Ends the batch, and returns what it changes.
  mutating func takeDifference() -> Difference {
    var difference = Difference()
    for user in changed {
      let status = status(of: user)
      if status == announced[user] { continue }
      announced[user] = status
      if let status {
        difference.present.append((user, status))
      } else {
        difference.gone.append(user)
      }
    }
    changed = []
    return difference
  }

  /// All users at the end of the last batch.
  var all: [(user: String, status: String)] { announced.map { ($0, $1) } }

  private func status(of user: String) -> String? {
    guard let devices = devices[user] else { return nil }
    return devices.last { !$0.status.isEmpty }?.status ?? ""
  }
}
