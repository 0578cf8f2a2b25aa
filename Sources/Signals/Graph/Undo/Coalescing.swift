/// The rule by which an ``UndoHistory`` combines commits into one step.
///
/// It uses no clock unless ``within(_:of:)`` adds one.
public struct Coalescing: Sendable {
  enum Kind { case never, property, typing }

  let kind: Kind
  /// Creates a closure that is called at each commit and returns whether there was a pause before
  /// it.
  let makeTimer: @Sendable () -> () -> Bool

  private init(_ kind: Kind, makeTimer: @escaping @Sendable () -> () -> Bool = { { false } }) {
    self.kind = kind
    self.makeTimer = makeTimer
  }

  /// Each commit is a step.
  public static let never = Coalescing(.never)

  /// Combines consecutive commits of one origin that write the same properties of the same objects.
  public static let property = Coalescing(.property)

  /// Combines commits like ``property`` if each types or deletes one character of one text, beside
  /// the previous one, with a step per word.
  ///
  /// A new word starts where a character other than white space is typed after white space. A
  /// change between typing and deleting also starts a new step, and so does an edit at another
  /// place. Text that is pasted, deleted or replaced at once is a separate step, which the
  /// characters typed into a selection join.
  ///
  /// - Complexity: O(n) per commit for a text of n characters.
  public static let typing = Coalescing(.typing)

  /// Returns the rule with a time limit: a pause longer than `interval` starts a new step.
  ///
  /// - Parameters:
  ///   - interval: The longest pause within a step.
  ///   - clock: The clock that measures the pauses.
  /// - Returns: The rule with the limit.
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

  /// Returns an edit as the continuation of the previous one; nil if it isn't.
  ///
  /// For `typing`, its cursor can only be at the places that also continue `before`.
  func continuing(_ before: CoalescedEdit, by edit: CoalescedEdit) -> CoalescedEdit? {
    guard edit.origin == before.origin, edit.properties == before.properties else { return nil }
    guard kind == .typing else { return kind == .property ? edit : nil }
    guard let text = edit.text, let earlier = before.text,
      let cursor = text.cursor(continuing: earlier)
    else { return nil }
    var continued = edit
    continued.text?.cursor = cursor
    return continued
  }
}

/// The changes of a commit that only writes properties.
struct CoalescedEdit {
  let origin: Origin?
  private(set) var properties: Set<PropertyKey> = []
  /// The change of the text, if the commit wrote one text and nothing else.
  fileprivate(set) var text: TextEdit?

  /// Creates the edit of the entries that a commit wrote before its rules ran; nil if it did more
  /// than write properties.
  init?(_ entries: some Sequence<Journal.Entry>, origin: Origin?) {
    self.origin = origin
    for entry in entries {
      guard case .property(let offset, let old) = entry.change else { return nil }
      guard properties.insert(PropertyKey(entry.object, at: offset)).inserted else { continue }
      text =
        if properties.count == 1, let old = old as? String,
          let property = entry.object.table?.schema.property(at: offset),
          let new = property.value(in: entry.object) as? String
        { TextEdit(from: old, to: new) } else { nil }
    }
  }
}
