// A partition that is joined as long as views show it.
//
// State: `users` of a partition counts the memberships. Views own their membership; all views of a
// partition share its state.
//
// Order of events: a body that reads the wrapper joins the partition. When the last view is gone, or
// shows another partition, the replica leaves it, unless the app has joined it too.

public import Signals

/// The state of a partition that a view shows, and that is joined meanwhile.
///
/// ```swift
/// struct BoardScreen: View {
///   @Joined private var state: PartitionState
///   @ObservedResults(Card.self) private var cards
///
///   init(board: Int) { _state = Joined("board=\(board)") }
///
///   var body: Element {
///     switch state {
///     case .joined: ForEach(cards) { Text($0.text) }
///     case .refused(let reason), .delayed(let reason): Text(reason)
///     case .joining(let share): ProgressBar("Loading…", value: share)
///     case .notJoined: Text("Loading…")
///     }
///   }
/// }
/// ```
///
/// - All views that show a partition share its membership. It ends with the last of them, as soon as
///   pending commits are decided, unless the app has called ``Replica/join(_:)``. The objects stay in
///   the store.
/// - The store of the view's environment must be that of a ``Replica``; otherwise the state is
///   ``PartitionState/refused(_:)``.
@propertyWrapper
public struct Joined: DynamicProperty {
  @Environment(\.store) private var store
  @StateObject private var membership = Membership()
  private let partition: String

  /// Creates the wrapper.
  ///
  /// - Parameter partition: The name of the partition, which may be another one in a later body.
  public init(_ partition: String) { self.partition = partition }

  /// The state of the partition; reading it in a body creates a dependency.
  public var wrappedValue: PartitionState {
    guard let replica = store.flatMap(Replica.of) else {
      return .refused("the store isn't that of a replica")
    }
    membership.use(partition, of: replica)
    return replica.state(of: partition)
  }
}

/// The partition that a view shows.
private final class Membership {
  private weak var replica: Replica?
  private var partition: String?

  func use(_ partition: String, of replica: Replica) {
    if self.partition == partition, self.replica === replica { return }
    // A body may only read, but an effect that it makes may write.
    _ = detached {
      Effect(name: "@Joined(\"\(partition)\")") { [self] in
        untracked {
          end()
          replica.use(partition)
        }
      }
    }
    (self.partition, self.replica) = (partition, replica)
  }

  private func end() { if let partition { replica?.endUse(of: partition) } }

  deinit { end() }
}
