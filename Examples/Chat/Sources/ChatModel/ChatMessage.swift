package import Foundation
package import Signals

/// A message of a conversation, which isn't changed after it was sent.
package final class ChatMessage: Object {
  @PrimaryKey package var id = UUID()
  /// The id of the conversation.
  @Indexed package var conversation = UUID()
  /// The name of the user who has sent it.
  @Field package var author = ""
  @Field package var text = ""
  @Link package var photo: Photo?
  @Field package var place: Place?
  /// The time on the author's device.
  @Field package var sentAt = Date(timeIntervalSince1970: 0)
  /// The number in the conversation, from 1; 0 until the server has it.
  @Field package var number = 0

  /// The page that has the message, or `nil` if it is among the last ones; see `Conversation`.
  @Field package var page: Int?

  /// The longest text, in bytes of UTF-8.
  package static let textLimit = 10_000

  /// The position in the conversation: that of the server, and last without one.
  package var position: Int { number == 0 ? .max : number }

  /// Returns a message like this one, in a page.
  package func copy(to page: Int) -> ChatMessage {
    let copy = ChatMessage()
    (copy.conversation, copy.author, copy.text) = (conversation, author, text)
    (copy.photo, copy.place) = (photo?.copy(), place)
    (copy.sentAt, copy.number, copy.page) = (sentAt, number, page)
    return copy
  }

  /// Throws the reason why the message can't be sent.
  package func validate() throws(ChatError) {
    let hasText = text.contains { !$0.isWhitespace }
    if !hasText, photo == nil, place == nil { throw .emptyMessage }
    if text.utf8.count > Self.textLimit { throw .textTooLong }
    if let place, !place.isValid { throw .noPlace }
    try photo?.validate()
    // The clock of a device may be wrong, and a date is formatted by all others.
    let seconds = sentAt.timeIntervalSince1970
    if !(0..<4e9).contains(seconds) { throw .noDate }
  }
}

/// A photo in a message or of a user.
package final class Photo: EmbeddedObject {
  @Field package var title = ""
  /// A JPEG, PNG, GIF or WebP file.
  @Field package var bytes: [UInt8] = []
  @Field package var date = Date(timeIntervalSince1970: 0)

  /// The largest file, in bytes.
  package static let sizeLimit = 1 << 20
  /// The longest title, in bytes of UTF-8.
  package static let titleLimit = 200

  /// Throws the reason why the photo can't be used.
  package func validate() throws(ChatError) {
    if bytes.count > Self.sizeLimit { throw .photoTooLarge }
    if title.utf8.count > Self.titleLimit { throw .nameTooLong }
  }
}

/// A place on earth, in degrees.
package struct Place: Hashable, Codable, Sendable, CustomStringConvertible {
  package var longitude: Double
  package var latitude: Double

  package init(longitude: Double, latitude: Double) {
    (self.longitude, self.latitude) = (longitude, latitude)
  }

  var isValid: Bool { abs(longitude) <= 180 && abs(latitude) <= 90 }

  /// The coordinates with two digits, as on a map.
  package var description: String {
    func text(_ degrees: Double, _ positive: String, _ negative: String) -> String {
      let hundredths = Int((abs(degrees) * 100).rounded())
      let fraction = hundredths % 100
      return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)° "
        + (degrees < 0 ? negative : positive)
    }
    return text(latitude, "N", "S") + " " + text(longitude, "E", "W")
  }
}
