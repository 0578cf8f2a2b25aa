// The classes and stores of these suites: one class for each way in which properties merge.

internal import Signals
internal import SignalsSync
internal import Synchronization
internal import Testing

final class Page: Object {
  @Field var title = ""
  @Field var size = 0
  @Counter var visits = 0
  @Counter var weight = 0.0
  @Latest var seen = 0
  @Link var next: Page?
  @Links var related: List<Page>
  @Link var cover: Part?
  @Links var parts: List<Part>
  @Link(onDelete: .cascade) var note: Note?
}

final class Part: EmbeddedObject {
  @Field var text = ""
  @Link var inner: Part?
  @Link(onDelete: .cascade) var note: Note?
}

final class Note: Object {
  @Field var text = ""
  override class var editsRevive: Bool { true }
}

final class Tag: Object {
  @PrimaryKey var name = ""
  @Field var color = ""
  @Counter var uses = 0
  @Latest var rank = 0
  @Link var page: Page?
  @Links var pages: List<Page>
}

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

  /// What can be seen: each object with its values, in a form that can be compared between peers.
  var visible: [String] {
    store.storedObjects.map { Visible.describe($0) { "\(self.merging.canonicalID(of: $0))" } }.sorted()
  }

}

/// What can be seen of an object.
enum Visible {
  /// Describes an object with its values, in a form that can be compared between replicas.
  static func describe(_ object: Object, _ name: (Object) -> String) -> String {
    func id(_ object: Object?) -> String { object.map { name($0) } ?? "-" }
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

/// A generator of the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
