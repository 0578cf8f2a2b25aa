import Signals
import TestSupport
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

  final class Box: Object {
    @Links var readings: List<Reading>
  }

  @Test func `an undo beside others keeps the instance that is in a list`() throws {
    let store = Store()
    let history = UndoHistory(store, origins: ["mine"])
    let (box, first, second) = (Box(), Reading(), Reading())
    box.readings = [first]
    try store.add(box)
    try store.write(origin: "mine") { box.readings.append(second) }
    var deletion = ChangeSet()
    let token = store.commits.sink { deletion = $0 }
    try store.delete(first)
    token.cancel()
    // Made again by a change set, with the same id: another instance.
    try store.apply(deletion.inverted())
    let again = try #require(box.readings.first)
    #expect(again.objectID == first.objectID && again !== first)
    try history.undo()
    #expect(box.readings.elementsEqual([again], by: ===))
    #expect(store.brokenInvariants() == [])
  }
}
