// Load: people in rooms who send messages to a server in another process, and how long these take.
//
// A message is due at a time, but isn't sent while too many are on their way: with more than the server
// and the replicas can take, the rate is theirs.
//
// Order of events: all people register and connect; one of each room begins its conversation, and the
// others join it. Then messages are sent at a rate, each by the next person of its room, and the time
// until the last member of the room has it is measured. Then one person's further device joins a room.
// If the plan says so, the load waits until the server is restarted, and measures how long it takes
// until all are back.

import ChatClient
import ChatModel
import Foundation
import Signals
import SignalsSync

/// People in rooms.
@MainActor
package final class Load {
  /// What is made, and what it does.
  package struct Plan {
    package var rooms = 200
    /// The number of people in a room.
    package var members = 5
    /// Messages a second in each room.
    package var rate = 10.0
    package var seconds = 30.0
    /// Whether the server will be stopped and started again after the messages.
    package var awaitsRestart = false

    package init() {}
  }

  /// A person in a room.
  private final class Person {
    let name: String
    let token: String
    let replica = Replica(sharing: Partitions.classes)
    var tokens: [any Cancellable] = []
    var connecting: Task<Void, Never>?

    init(_ name: String, _ token: String) { (self.name, self.token) = (name, token) }
  }

  private struct Room {
    let id: UUID
    let people: [Person]
    var sent = 0
  }

  /// A message on its way.
  private struct Message {
    let time: ContinuousClock.Instant
    var missing: Int
  }

  private let plan: Plan
  private let service: RemoteChat
  private let clock = ContinuousClock()
  private var rooms: [Room] = []
  private var waiting: [ObjectID: Message] = [:]
  private var times: [Duration] = []
  private var (sent, twice, refused) = (0, 0, 0)

  /// Prepares a load on the server at an address.
  package init(_ plan: Plan, on address: String) throws {
    (self.plan, service) = (plan, try RemoteChat(address))
  }

  /// Runs the load.
  ///
  /// - Parameter say: Gets a line of the report at a time.
  /// - Returns: Whether each message has reached all members once.
  package func run(_ say: (String) throws -> Void) async throws -> Bool {
    let beginning = clock.now
    // Names of an earlier load may be taken.
    let prefix = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    for room in 0..<plan.rooms {
      var people: [Person] = []
      for number in 0..<plan.members {
        people.append(try await connect("\(prefix)-\(room)-\(number)"))
      }
      rooms.append(try await begin(people))
    }
    let count = plan.rooms * plan.members
    try say(
      "\(count) people in \(plan.rooms) rooms: connected in \(beginning.duration(to: clock.now))")
    let start = clock.now
    let interval = Duration.seconds(1) / (plan.rate * Double(plan.rooms))
    let total = Int(plan.rate * Double(plan.rooms) * plan.seconds)
    for number in 0..<total {
      let due = start + interval * number
      // In time, or as soon as what has arrived was handled.
      if due > clock.now { try await clock.sleep(until: due) } else { await Task.yield() }
      while waiting.count >= 4 * count { await Task.yield() }
      try send(in: number % plan.rooms, at: due)
    }
    let end = clock.now
    for _ in 0..<3_000 where !waiting.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    times.sort()
    func percentile(_ share: Double) -> Duration {
      times.isEmpty ? .zero : times[min(times.count - 1, Int(share * Double(times.count)))]
    }
    let seconds = start.duration(to: end) / .seconds(1)
    try say("\(sent) messages in \(seconds) s: \(Int(Double(sent) / seconds)) a second")
    try say("lost \(waiting.count), twice \(twice), refused \(refused)")
    try say(
      "to the last member: median \(percentile(0.5)), p99 \(percentile(0.99)), "
        + "longest \(times.last ?? .zero)")
    try say("a further device has joined a room in \(try await joinAgain())")
    if plan.awaitsRestart {
      try say("restart the server now")
      try say("all are back \(try await restart()) after the last connection was lost")
    }
    for room in rooms { for person in room.people { person.connecting?.cancel() } }
    return waiting.isEmpty && twice == 0 && refused == 0
  }

  /// Returns the time in which a new device of a person joins the person's room.
  private func joinAgain() async throws -> Duration {
    guard let room = rooms.first, let person = room.people.first else { return .zero }
    let replica = Replica(sharing: Partitions.classes)
    replica.join(Partitions.user(person.name))
    let (service, token) = (service, person.token)
    let connecting = Task { try await service.connect(replica, with: token) }
    defer { connecting.cancel() }
    try await wait { replica.state(of: Partitions.user(person.name)) == .joined }
    let start = clock.now
    let partition = Partitions.conversation(room.id)
    replica.join(partition)
    while replica.state(of: partition) != .joined { await Task.yield() }
    return start.duration(to: clock.now)
  }

  /// Returns the time from when the server is gone until all have joined their rooms again.
  private func restart() async throws -> Duration {
    let people = rooms.flatMap { room in room.people.map { (room.id, $0.replica) } }
    while people.allSatisfy({ $0.1.isOnline }) { try await clock.sleep(for: .milliseconds(1)) }
    let start = clock.now
    while people.contains(where: { $1.state(of: Partitions.conversation($0)) != .joined }) {
      try await clock.sleep(for: .milliseconds(10))
    }
    return start.duration(to: clock.now)
  }

  private func connect(_ name: String) async throws -> Person {
    let credentials = Credentials(name: name, password: "load of people")
    try await service.register(credentials)
    let token = try await service.signIn(credentials)
    let person = Person(name, token)
    let replica = person.replica
    replica.join(Partitions.user(name))
    person.tokens = [
      Effect {
        let ids = replica.store.results(Membership.self).map(\.conversationID)
        untracked { for id in ids { replica.join(Partitions.conversation(id)) } }
      },
      replica.store.commits.sink { [unowned self] in note($0) },
      replica.refusals.sink { [unowned self] in note($0) },
    ]
    let service = service
    person.connecting = Task {
      await replica.stayConnected { try await service.connect(replica, with: token) }
    }
    try await wait { replica.state(of: Partitions.user(name)) == .joined }
    try replica.store.add(User(name))
    return person
  }

  private func begin(_ people: [Person]) async throws -> Room {
    let conversation = try Conversation.begin(
      "Room \(rooms.count)", by: people[0].name, with: people.dropFirst().map(\.name),
      in: people[0].replica.store)
    let id = conversation.id
    for person in people {
      let store = person.replica.store
      try await wait {
        store.object(Conversation.self, primaryKey: id)?.isActive(person.name) == true
      }
    }
    return Room(id: id, people: people)
  }

  private func send(in number: Int, at due: ContinuousClock.Instant) throws {
    let room = rooms[number]
    let person = room.people[room.sent % room.people.count]
    rooms[number].sent += 1
    guard
      let conversation = person.replica.store.object(Conversation.self, primaryKey: room.id)
    else { return }
    let message = try conversation.send(
      "message \(room.sent) of \(person.name)", by: person.name, at: Date())
    sent += 1
    waiting[message.objectID] = Message(time: due, missing: plan.members - 1)
  }

  /// Notes a message that the server has refused.
  private func note(_ refusal: SyncRefusal) {
    for change in refusal.changes.inserted(ChatMessage.self) {
      waiting[change.id] = nil
      refused += 1
    }
  }

  /// Notes the messages that a member has received.
  private func note(_ commit: ChangeSet) {
    guard commit.origin == .sync else { return }
    for change in commit.inserted(ChatMessage.self) {
      guard var message = waiting[change.id] else {
        twice += 1
        continue
      }
      message.missing -= 1
      waiting[change.id] = message.missing == 0 ? nil : message
      if message.missing == 0 { times.append(message.time.duration(to: clock.now)) }
    }
  }
}

extension ChangeSet {
  fileprivate func inserted<Root: Object>(_ type: Root.Type) -> [TypedChange<Root>] {
    changes(of: type).filter { $0.kind == .inserted }
  }
}
