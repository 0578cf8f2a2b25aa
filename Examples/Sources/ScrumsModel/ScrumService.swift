import Files
package import Foundation

/// Where scrums come from.
package protocol ScrumService: Sendable {
  /// Fetches all of them.
  func scrums() async throws -> [ScrumRecord]
}

/// A scrum as a service sends it: what others know of it too.
package struct ScrumRecord: Codable, Equatable, Sendable {
  package var id: UUID
  package var title: String
  package var minutes: Int
  package var color: ScrumColor
  package var attendees: [String]

  /// The record of a scrum.
  package init(_ scrum: DailyScrum) {
    (id, title, minutes) = (scrum.id, scrum.title, scrum.minutes)
    (color, attendees) = (scrum.color, scrum.attendees)
  }

  /// An unstored scrum, to be added to a store, or to bring another up to date there; without a history.
  package var scrum: DailyScrum {
    DailyScrum(title, minutes: minutes, color: color, attendees: attendees, id: id)
  }
}

/// A service that is a file: JSON, an array of records.
package struct FileService: ScrumService {
  private let file: URL

  /// Serves what a file says at the time.
  package init(_ file: URL) { self.file = file }

  /// Reads the file, off the caller's actor; throws a line that says why it can't.
  @concurrent
  package func scrums() async throws -> [ScrumRecord] {
    try FileProblem.reading(file) { try JSONDecoder().decode([ScrumRecord].self, from: $0) }
  }
}

/// A service that always has the scrums of the beginning.
package struct SampleService: ScrumService {
  /// Creates the service.
  package init() {}

  /// The scrums that a new user begins with.
  package func scrums() async throws -> [ScrumRecord] { Scrums.samples().map(ScrumRecord.init) }
}
