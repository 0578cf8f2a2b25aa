import Foundation
package import Signals

/// A user, in a partition that only the user reads.
package final class User: Object {
  @PrimaryKey package var name = ""
  @Link package var preferences: UserPreferences?

  package convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  /// Whether the user has chosen a name or a photo.
  package var isProfileSet: Bool { preferences.map { !$0.isEmpty } ?? false }
}

/// What a user has chosen.
package final class UserPreferences: EmbeddedObject {
  @Field package var displayName = ""
  @Link package var avatar: Photo?
  /// Whether others aren't shown that the user is connected.
  @Field package var isHidden = false

  /// The longest name, in bytes of UTF-8.
  package static let nameLimit = 200

  /// Whether nothing is chosen.
  package var isEmpty: Bool { displayName.isEmpty && avatar == nil }

  /// Throws the reason why the preferences can't be saved.
  package func validate() throws(ChatError) {
    if displayName.utf8.count > Self.nameLimit { throw .nameTooLong }
    try avatar?.validate()
  }
}

/// The public side of a user, which the server keeps.
package final class Chatter: Object {
  @PrimaryKey package var name = ""
  @Field package var displayName = ""
  @Link package var avatar: Photo?
  @Field package var isHidden = false

  package convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  /// The name that others see.
  package var title: String { displayName.isEmpty ? name : displayName }

  /// Whether a name contains a text; case and diacritics don't count.
  package func matches(_ text: String) -> Bool {
    text.isEmpty || title.localizedStandardContains(text) || name.localizedStandardContains(text)
  }
}
