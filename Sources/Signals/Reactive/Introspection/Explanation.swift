/// Why a computed, an effect or the body of a view ran last: which of its inputs had changed.
///
/// ```swift
/// total.tracesChanges = true
/// price.value = 12
/// _ = total.value
/// print(total.explanation!)
/// // computed 'total' ran because of signal 'price': 10 → 12
/// ```
///
/// One asks a computed among the causes in turn, if it is traced too.
public struct Explanation: Hashable, Sendable {
  /// An input that changed, described before and after.
  public struct Change: Hashable, Sendable {
    /// The name of what changed.
    public let name: String
    /// What it was when the reader ran before; nil if there was no value.
    public let old: String?
    /// What it was when the reader ran; nil if it was gone.
    public let new: String?
  }

  /// Who ran.
  public let name: String
  /// How often it has run since it is traced.
  public let run: Int
  /// Whether it ran for the first time.
  public let isFirst: Bool
  /// What had changed since it ran before, in the order in which it had read it then.
  public let changes: [Change]
}

extension Explanation.Change: CustomStringConvertible {
  /// The name, and both descriptions.
  public var description: String {
    old == nil && new == nil ? name : "\(name): \(old ?? "none") → \(new ?? "gone")"
  }
}

extension Explanation: CustomStringConvertible {
  /// Who ran, and what had changed, on one line or one for each cause.
  public var description: String {
    if isFirst { return "\(name) ran for the first time" }
    switch changes.count {
    case 0: return "\(name) ran although nothing that it is known to have read had changed"
    case 1: return "\(name) ran because of \(changes[0])"
    default: return "\(name) ran because of" + changes.map { "\n  \($0)" }.joined()
    }
  }
}
