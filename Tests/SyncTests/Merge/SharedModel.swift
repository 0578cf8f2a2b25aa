// The stores of these suites.

internal import Signals
internal import SignalsSync
internal import Synchronization
internal import Testing

let sharedClasses: [Object.Type] = [Page.self, Part.self, Note.self, Tag.self]

/// One replica with its own wall clock.
final class Peer {
  let store: Store
  let merging: MergingStore
  /// What this peer has made, in order.
  var made: [SharedChangeSet] = []

  init(_ number: UInt64, time: VirtualTime, skew: Int = 0, undoLimit: Int = 100) {
    store = Store(undoLimit: undoLimit)
    merging = MergingStore(
      store, sharing: sharedClasses, as: ReplicaID(rawValue: number),
      clock: HybridClock(wall: { UInt64(Int(time.now) + skew) }))
  }

  /// Continues with a restored store.
  init(restoring state: [UInt8], _ store: Store, time: VirtualTime, made: [SharedChangeSet]) throws
  {
    self.store = store
    self.made = made
    merging = try MergingStore(restoring: state, of: store, sharing: sharedClasses) {
      HybridClock(after: $0, wall: { time.now })
    }
  }

  /// Takes the change sets made since the last call.
  @discardableResult
  func take() -> [SharedChangeSet] {
    let sets = merging.takeChanges()
    made += sets
    return sets
  }

  func add<Element: Object>(_ object: Element) -> Element {
    do { try store.add(object) } catch { Issue.record("\(error)") }
    return object
  }

  func find<Element: Object>(_ object: Element) -> Element? {
    merging.object(object.objectID) as? Element
  }

  /// Each visible object with its values, in a form that can be compared between peers.
  var visible: [String] {
    store.storedObjects.map { describe($0) }.sorted()
  }

  private func describe(_ object: Object) -> String {
    func id(_ object: Object?) -> String { object.map { "\(merging.canonicalID(of: $0))" } ?? "-" }
    func ids(_ list: List<some Object>) -> String {
      list.map { id($0) }.joined(separator: ",")
    }
    let values: [String] =
      switch object {
      case let page as Page:
        [
          page.title, "\(page.size)", "\(page.visits)", "\(page.weight)", "\(page.seen)",
          id(page.next), ids(page.related), id(page.cover), ids(page.parts), id(page.note),
        ]
      case let part as Part: [part.text, id(part.inner), id(part.note)]
      case let note as Note: [note.text]
      case let tag as Tag:
        [tag.name, tag.color, "\(tag.uses)", "\(tag.rank)", id(tag.page), ids(tag.pages)]
      default: []
      }
    return "\(type(of: object)) \(id(object)) " + values.joined(separator: "|")
  }
}

/// A wall clock that tests turn.
final class VirtualTime: Sendable {
  private let milliseconds = Mutex<UInt64>(1_700_000_000_000)
  var now: UInt64 { milliseconds.withLock { $0 } }
  func advance(by step: UInt64 = 1) { milliseconds.withLock { $0 += step } }
}
