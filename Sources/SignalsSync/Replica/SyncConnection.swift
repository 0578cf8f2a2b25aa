// A connection within one isolation domain: two queues of messages.
//
// Order of events: a message of one side is queued as bytes, and delivered at once unless the
// connection is held, as in a test. A message that arrives while another one is being received waits
// for its turn. After `close`, nothing is delivered, and both sides have been told.

/// A connection of a ``Replica`` with a ``SyncServer`` in the same isolation domain.
public final class SyncConnection {
  /// The user on whose behalf the replica acts.
  public let user: String
  /// Whether the connection is closed.
  public private(set) var isClosed = false
  /// Whether messages wait until `deliver` is called.
  package var isHeld = false
  var toServer = Side()
  var toReplica = Side()

  struct Side {
    var waiting: [[UInt8]] = []
    var isReceiving = false
    var receive: (([UInt8]) -> Void)?
    var didClose: (() -> Void)?
  }

  init(user: String) { self.user = user }

  /// Closes the connection; messages that weren't delivered are lost.
  public func close() {
    if isClosed { return }
    isClosed = true
    let actions = [toServer.didClose, toReplica.didClose]
    (toServer, toReplica) = (Side(), Side())
    for action in actions { action?() }
  }

  func send(
    _ message: [UInt8], to side: ReferenceWritableKeyPath<SyncConnection, Side>
  ) {
    if isClosed { return }
    self[keyPath: side].waiting.append(message)
    if !isHeld { deliver(side) }
  }

  /// Delivers the messages that wait on a side, or the first ones.
  func deliver(_ side: ReferenceWritableKeyPath<SyncConnection, Side>, atMost limit: Int = .max) {
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

  /// Delivers the first messages of each side.
  package func deliver(toServer: Int, toReplica: Int) {
    deliver(\.toServer, atMost: toServer)
    deliver(\.toReplica, atMost: toReplica)
  }
}
