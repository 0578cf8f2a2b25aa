/// The inputs whose changes caused the last run of a computed, an effect or the body of a view.
///
/// ```swift
/// total.tracesChanges = true
/// price.value = 12
/// _ = total.value
/// print(total.explanation!)
/// // computed 'total' ran because of signal 'price': 10 → 12
/// ```
///
/// If a cause is a computed that is traced too, it has an explanation as well.
public struct Explanation: Hashable, Sendable {
  /// An input that changed, with descriptions of its old and new values.
  public struct Change: Hashable, Sendable {
    /// The name of the input.
    public let name: String
    /// The description of the value at the previous run; nil if there was no value.
    public let old: String?
    /// The description of the value at this run; nil if the input no longer existed.
    public let new: String?
  }

  /// The name of the computed, effect or view that ran.
  public let name: String
  /// The number of runs since tracing was switched on.
  public let run: Int
  /// Whether it ran for the first time.
  public let isFirst: Bool
  /// The inputs that had changed since the previous run, in the order in which that run read them.
  public let changes: [Change]
}

extension Explanation.Change: CustomStringConvertible {
  /// The name, and the old and new descriptions.
  public var description: String {
    old == nil && new == nil ? name : "\(name): \(old ?? "none") → \(new ?? "gone")"
  }
}

extension Explanation: CustomStringConvertible {
  /// The name and the changes: on one line, or with one line for each of several causes.
  public var description: String {
    if isFirst { return "\(name) ran for the first time" }
    switch changes.count {
    case 0: return "\(name) ran although nothing that it is known to have read had changed"
    case 1: return "\(name) ran because of \(changes[0])"
    default: return "\(name) ran because of" + changes.map { "\n  \($0)" }.joined()
    }
  }
}
