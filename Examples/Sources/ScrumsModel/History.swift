package import Foundation
package import Signals

/// A meeting there was: part of its scrum, and gone with it.
package final class History: EmbeddedObject {
  @Field package var date = Date(timeIntervalSince1970: 0)
  @Field package var attendees: [String] = []
  @Field package var minutes = 0
  @Field package var transcript = ""

  /// Notes a meeting: its length is the time that was spoken.
  convenience init(of meeting: Meeting, at date: Date) {
    self.init()
    self.date = date
    attendees = meeting.speakers.map(\.name)
    minutes = meeting.elapsed / 60
    transcript = meeting.transcript
  }
}
