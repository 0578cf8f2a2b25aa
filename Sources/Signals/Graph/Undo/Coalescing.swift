/// Which commits an ``UndoHistory`` makes one step of.
///
/// There is no clock in it unless one is given.
public struct Coalescing: Sendable {
  enum Kind { case never, property, typing }

  let kind: Kind
  /// Makes what answers, at each commit, whether there was a pause before it.
  let makeTimer: @Sendable () -> () -> Bool

  private init(_ kind: Kind, makeTimer: @escaping @Sendable () -> () -> Bool = { { false } }) {
    self.kind = kind
    self.makeTimer = makeTimer
  }

  /// Each commit is a step.
  public static let never = Coalescing(.never)

  /// Commits in a row that write the same properties of the same objects, of one origin, are one step.
  public static let property = Coalescing(.property)

  /// Likewise, if they only write texts, and up to the next word, or from typing to deleting.
  ///
  /// A word begins where something else than white space is typed after white space. Costs O(n) a commit
  /// for a text of n characters.
  public static let typing = Coalescing(.typing)

  /// Likewise, but a pause longer than `interval` begins a new step.
  public func within<C: Clock>(_ interval: C.Duration, of clock: C) -> Coalescing {
    Coalescing(kind) {
      var last: C.Instant?
      return {
        let now = clock.now
        defer { last = now }
        return last.map { $0.duration(to: now) > interval } ?? false
      }
    }
  }

  /// Whether an edit goes on where the one before stopped.
  func joins(_ edit: CoalescedEdit, after before: CoalescedEdit) -> Bool {
    guard edit.origin == before.origin, edit.properties == before.properties else { return false }
    guard kind == .typing else { return kind == .property }
    guard let text = edit.text, let earlier = before.text else { return false }
    return text.isDeletion == earlier.isDeletion
      && (text.isDeletion || text.startsWithSpace || !earlier.endsWithSpace)
  }
}

/// What a commit that only writes properties did.
struct CoalescedEdit {
  /// What became of a text.
  struct Text {
    let isDeletion: Bool
    let startsWithSpace: Bool
    let endsWithSpace: Bool

    /// Compares a text with the one before.
    init(from old: String, to new: String) {
      var (start, end) = (new.startIndex, new.endIndex)
      var (oldStart, oldEnd) = (old.startIndex, old.endIndex)
      while start < end, oldStart < oldEnd, new[start] == old[oldStart] {
        start = new.index(after: start)
        oldStart = old.index(after: oldStart)
      }
      while start < end, oldStart < oldEnd,
        new[new.index(before: end)] == old[old.index(before: oldEnd)]
      {
        end = new.index(before: end)
        oldEnd = old.index(before: oldEnd)
      }
      let typed = new[start..<end]
      isDeletion = typed.isEmpty
      startsWithSpace = typed.first?.isWhitespace ?? false
      endsWithSpace = typed.last?.isWhitespace ?? false
    }
  }

  let origin: Origin?
  private(set) var properties: Set<PropertyKey> = []
  /// What became of the text, if it wrote one and nothing else.
  private(set) var text: Text?

  /// Nil if the step did more than write properties.
  init?(_ step: UndoStep, _ origin: Origin?) {
    self.origin = origin
    for record in step.records {
      guard case .property(let offset, let old) = record.change else { return nil }
      guard properties.insert(PropertyKey(record.object, offset)).inserted else { continue }
      text =
        if properties.count == 1, let old = old as? String,
          let property = unsafe record.object.extent?.schema.property(at: offset),
          let new = property.value(in: record.object) as? String
        { Text(from: old, to: new) } else { nil }
    }
  }
}
