// A connection: a queue of messages for each direction.
//
// Order of events: a message is queued as bytes. If its receiver is in this isolation domain, it is
// delivered at once, unless the connection is held, as in a test. A message that arrives while
// another one is being received waits for its turn. If the receiver is in another process, the task
// that carries the connection takes the queue (SyncConnection+Streams.swift). After `close`, nothing
// is delivered, and both sides have been told.
//
// Invariant: the backlog of a side is the number of bytes that were sent to it and that it hasn't
// handled.

internal import Signals

/// A connection of a ``Replica`` with a ``SyncServer`` in the same isolation domain.
public final class SyncConnection {
  /// A direction of the connection.
  typealias Direction = ReferenceWritableKeyPath<SyncConnection, Side>

  /// The user on whose behalf the replica acts, at the server.
  let user: String
  /// Whether the connection is closed.
  public private(set) var isClosed = false
  /// The reason why the connection was closed, unless an end of it was closed on purpose.
  private(set) var failure: (any Error)?
  /// Whether messages wait until `deliver` is called.
  package var isHeld = false
  /// The backlog at which a server sends no further facts until all are handled, in bytes.
  package var fullBacklog = 1 << 18
  var toServer = Side()
  var toReplica = Side()
  /// Notified when messages wait, or were handled, or the connection is closed, if a task carries it.
  var changes: WaitQueue?

  struct Side {
    var waiting: [[UInt8]] = []
    var backlog = 0
    var isReceiving = false
    /// Receives a message, and calls `didHandle` when it was handled.
    var receive: (([UInt8]) -> Void)?
    var didClose: (() -> Void)?
    /// Called when all messages were handled.
    var didDrain: (() -> Void)?
  }

  /// Whether the replica has so much to receive that facts have to wait.
  var isFull: Bool { toReplica.backlog >= fullBacklog }

  init(user: String = "") { self.user = user }

  /// Closes the connection; messages that weren't delivered are lost.
  public func close() { close(nil) }

  /// Closes the connection for a reason.
  func close(_ failure: (any Error)?) {
    if isClosed { return }
    isClosed = true
    self.failure =
      (failure as? SyncMessageError).map { SyncConnectionError.message(reason: $0.reason) }
      ?? (failure as? Refusal).map { SyncConnectionError.ended(reason: $0.description) }
      ?? failure
    let actions = [toServer.didClose, toReplica.didClose]
    (toServer, toReplica) = (Side(), Side())
    changes?.wake()
    for action in actions { action?() }
  }

  func send(_ message: [UInt8], to side: Direction) {
    if isClosed { return }
    self[keyPath: side].waiting.append(message)
    self[keyPath: side].backlog += message.count
    changes?.wake()
    if !isHeld { deliver(side) }
  }

  /// Delivers the messages that wait on a side, or the first ones.
  func deliver(_ side: Direction, atMost limit: Int = .max) {
    if self[keyPath: side].isReceiving { return }
    self[keyPath: side].isReceiving = true
    var count = 0
    while count < limit, !isClosed, let receive = self[keyPath: side].receive,
      !self[keyPath: side].waiting.isEmpty
    {
      receive(self[keyPath: side].waiting.removeFirst())
      count += 1
    }
    self[keyPath: side].isReceiving = false
  }

  /// Notes that messages with a number of bytes were handled, or sent to another process.
  func didHandle(_ count: Int, from side: Direction) {
    if isClosed { return }
    self[keyPath: side].backlog -= count
    changes?.wake()
    if self[keyPath: side].backlog == 0 { self[keyPath: side].didDrain?() }
  }

  /// Delivers the first messages of each side.
  package func deliver(toServer: Int, toReplica: Int) {
    deliver(\.toServer, atMost: toServer)
    deliver(\.toReplica, atMost: toReplica)
  }
}
