// The present devices, in an array of reusable slots.
//
// A slot is in two lists. The queue orders all devices by their last heartbeat. Times never
// decrease and all devices have the same time to live, so a heartbeat moves its device to the end
// in O(1), and the expired devices are at the front. Slot 0 is the head and the end of the queue.
// The devices of a user are a chain that begins at `users`. The chain is short, so it is searched
// linearly. Slots without a device are a chain that begins at `free`.

/// A device of a user.
public struct PresenceDevice: Sendable, Hashable {
  /// The name of the user.
  public let user: String
  /// The name of the device, unique among the devices of the user.
  public let name: String

  package init(user: String, name: String) {
    self.user = user
    self.name = name
  }
}

/// The present devices, by user and by the time of their last heartbeat.
package struct PresenceDevices: Sendable {
  private struct Slot {
    var user = ""
    var name = ""
    var payload: [UInt8] = []
    var stamp: UInt64 = 0
    var lastHeartbeat = Duration.zero
    /// The neighbors in the queue.
    var previous = 0
    var next = 0
    /// The next device of the user, or the next free slot, or 0.
    var sibling = 0
  }

  private var slots = [Slot()]
  private var users: [String: Int] = [:]
  private var free = 0

  package init() {}

  /// The names of the users.
  package var userNames: some Sequence<String> { users.keys }

  /// The number of users.
  package var userCount: Int { users.count }

  /// The number of slots, including the head of the queue and the free slots.
  package var slotCount: Int { slots.count }

  /// The result of the search for a device among a user's devices.
  package struct Search {
    /// The slot of the device, or `nil` if it isn't present.
    package fileprivate(set) var slot: Int?
    /// The number of the user's devices before it, or of all of them if it isn't present.
    package fileprivate(set) var count = 0
    /// The first slot of the user's devices, or 0.
    package fileprivate(set) var first: Int
  }

  /// Searches a device of a user.
  ///
  /// - Returns: The location of the device.
  package func search(_ device: String, user: String) -> Search {
    var search = Search(first: users[user] ?? 0)
    var slot = search.first
    while slot != 0, slots[slot].name != device {
      search.count += 1
      slot = slots[slot].sibling
    }
    if slot != 0 { search.slot = slot }
    return search
  }

  /// Returns the user with its latest payload, or `nil` if it isn't present.
  package func present(_ user: String) -> PresentUser? { present(first: users[user] ?? 0) }

  /// Returns the user whose devices begin at a slot, or `nil` for 0.
  package func present(first: Int) -> PresentUser? {
    if first == 0 { return nil }
    var latest = first
    var slot = slots[first].sibling
    while slot != 0 {
      if slots[slot].stamp > slots[latest].stamp { latest = slot }
      slot = slots[slot].sibling
    }
    return PresentUser(
      user: slots[latest].user, payload: slots[latest].payload, stamp: slots[latest].stamp)
  }

  /// Adds a device without payload after it wasn't found, as the first of its user.
  package mutating func insert(
    _ device: String, user: String, after search: Search, at time: Duration
  ) -> Int {
    var slot = free
    if slot == 0 {
      slot = slots.count
      slots.append(Slot())
    } else {
      free = slots[slot].sibling
    }
    slots[slot] = Slot(user: user, name: device, sibling: search.first)
    users[user] = slot
    enqueue(slot, at: time)
    return slot
  }

  /// Records a heartbeat of a device, which must not be before any other heartbeat.
  package mutating func heartbeat(of slot: Int, at time: Duration) {
    dequeue(slot)
    enqueue(slot, at: time)
  }

  /// Sets the payload of a device, unless the device has it already.
  package mutating func setPayload(
    _ payload: [UInt8], of slot: Int, stamp: UInt64
  ) -> Bool {
    if slots[slot].stamp != 0, slots[slot].payload == payload { return false }
    slots[slot].payload = payload
    slots[slot].stamp = stamp
    return true
  }

  /// The device with the earliest last heartbeat, and the time of that.
  package var oldest: (slot: Int, lastHeartbeat: Duration)? {
    let slot = slots[0].next
    return slot == 0 ? nil : (slot, slots[slot].lastHeartbeat)
  }

  /// Removes a device.
  @discardableResult
  package mutating func remove(_ slot: Int) -> PresenceDevice {
    let device = PresenceDevice(user: slots[slot].user, name: slots[slot].name)
    dequeue(slot)
    unchain(slot)
    slots[slot] = Slot(sibling: free)
    free = slot
    return device
  }

  private mutating func unchain(_ slot: Int) {
    let user = slots[slot].user
    let sibling = slots[slot].sibling
    var previous = users[user] ?? slot
    if previous == slot {
      users[user] = sibling == 0 ? nil : sibling
    } else {
      while slots[previous].sibling != slot { previous = slots[previous].sibling }
      slots[previous].sibling = sibling
    }
  }

  private mutating func enqueue(_ slot: Int, at time: Duration) {
    let last = slots[0].previous
    slots[slot].lastHeartbeat = time
    slots[slot].previous = last
    slots[slot].next = 0
    slots[last].next = slot
    slots[0].previous = slot
  }

  private mutating func dequeue(_ slot: Int) {
    let (previous, next) = (slots[slot].previous, slots[slot].next)
    slots[previous].next = next
    slots[next].previous = previous
  }
}
