import Signals
import Testing

@Suite struct `Graph, undo beside another store` {
  final class Reading: Object {
    @Field var value = 0.0
  }

  @Test func `an undo that would take an object from another store is refused`() throws {
    let (here, there) = (Store(), Store())
    let reading = Reading()
    try here.add(reading)
    try here.delete(reading)
    try there.add(reading)
    #expect(throws: StoreError.self) { try here.undo() }
    #expect(reading.store === there)
    #expect(here.canUndo)
  }
}
