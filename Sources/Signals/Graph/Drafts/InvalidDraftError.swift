/// The error thrown when a draft fails validation or contains text that can't be parsed.
public struct InvalidDraftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The object; the stored one if it exists.
  public let subject: StoreError.Subject
  /// The errors, at least one.
  public let errors: [FieldError]
  /// Whether all errors are shown beside fields on screen.
  let isShown: Bool

  /// Returns whether both errors report the same validation errors for the same object.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: InvalidDraftError, rhs: InvalidDraftError) -> Bool {
    lhs.subject == rhs.subject && lhs.errors == rhs.errors
  }

  /// The error as messages show it.
  public var description: String {
    "\(subject) is not valid: \(errors.map(\.description).joined(separator: "; "))"
  }
}
