// The classes of these suites, with one property for each way of storing values, links and parts.

internal import Signals

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
}

final class Tag: Object {
  @PrimaryKey var name = ""
  @Field var color = ""
  @Counter var uses = 0
  @Latest var rank = 0
  @Link var page: Page?
  @Links var pages: List<Page>
}
