import Signals
import SignalsSync
import TestSupport
import Testing

// The classes of version 0 and those of version 2, whose names have the same lengths.

final class Task0: Object {
  @PrimaryKey var title = ""
  @Field var day: Int?
  @Field var removed = ""
  @Link var after: Task0?
  @Link var owner: User0?
}

final class User0: Object {
  @Field var name = ""
}

final class Task2: Object {
  @PrimaryKey var number = 0
  @Field var title = ""
  @Field var day = -1
  @Links var after: List<Task2>
  @Field var owner = ""
  @Link var label: Label2?
}

final class Label2: EmbeddedObject {
  @Field var text = ""
}

@Suite("Migrations of stores in files") struct StoreFileMigrationTests {
  private struct Refused: Error {}

  /// A file of version 0, as an app of version 2 finds it.
  private func oldFile() async throws -> SimulatedFiles {
    let files = SimulatedFiles()
    let file = try open(files)
    let user = User0()
    user.name = "ann"
    let tasks = ["a", "b", "c"].map { title in
      let task = Task0()
      (task.title, task.removed, task.owner) = (title, "x", user)
      return task
    }
    (tasks[0].day, tasks[2].day) = (5, 6)
    (tasks[1].after, tasks[2].after) = (tasks[0], tasks[1])
    try file.write { try file.store.add(tasks) }
    var entries = try await StoredEntries(of: files)
    entries.replace("Task0", by: "Task2")
    entries.replace("User0", by: "UserX")
    return try await entries.files()
  }

  private func migrate(_ migration: Migration) throws {
    for (number, task) in migration.objects(Task2.self).enumerated() {
      let old = try #require(migration.old(task))
      task.number = number + 1
      task.day = try old.value("day", as: Int?.self).flatMap { $0 } ?? 0
      task.after = List(try old.targets("after").compactMap { $0.object as? Task2 })
      task.owner = try old.targets("owner").first?.value("name") ?? ""
      let label = Label2()
      label.text = task.title
      task.label = label
    }
  }

  private func tasks(_ file: StoreFile) -> [Task2] {
    file.store.objectsInOrder.compactMap { $0 as? Task2 }
  }

  @Test func `A step gets what decoding can't: other keys, required values, lists of links`()
    async throws
  {
    let files = try await oldFile()
    let file = try open(files, version: 2, [2: migrate])
    let found = tasks(file)
    #expect(found.map(\.number) == [1, 2, 3])
    #expect(found.map(\.title) == ["a", "b", "c"])
    #expect(found.map(\.day) == [5, 0, 6])
    #expect(found.map { $0.after.map(\.title) } == [[], ["a"], ["b"]])
    #expect(found.map(\.owner) == ["ann", "ann", "ann"])
    #expect(found.map { $0.label?.text } == ["a", "b", "c"])
    #expect(file.store.object(Task2.self, primaryKey: 2) === found[1])
    #expect(file.store.brokenInvariants() == [])
  }

  @Test func `A step runs once, and the file is the new one from then on`() async throws {
    let files = try await oldFile()
    let first = try open(files, version: 2, [2: migrate])
    try first.write { tasks(first)[0].title = "changed" }
    let again = try open(files.afterKill(), version: 2, [2: { _ in throw Refused() }])
    #expect(again.store.contents == first.store.contents)
  }

  @Test func `Steps run in the order of their versions, and those of the file's version don't`()
    async throws
  {
    let files = try await oldFile()
    var order: [Int] = []
    let first: (Migration) throws -> Void = { migration in
      order.append(1)
      try migrate(migration)
    }
    try await open(files, version: 1, [1: first]).close()
    let steps: [Int: (Migration) throws -> Void] = [
      3: { _ in order.append(3) }, 1: first, 2: { _ in order.append(2) },
    ]
    try await open(files, version: 3, steps).close()
    #expect(order == [1, 2, 3])
  }

  @Test func `A step that throws leaves the file as it is`() async throws {
    let files = try await oldFile()
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) {
      try open(files, version: 2, [2: { _ in throw Refused() }])
    }
    #expect(error?.description == "the migration to version 2 has failed: Refused()")
    #expect(files.edit("/store/store.log") { $0 } == before)
  }

  @Test func `Objects that don't fit after the steps are an error, and leave the file as it is`()
    async throws
  {
    let files = try await oldFile()
    let before = files.edit("/store/store.log") { $0 }
    let error = #expect(throws: StoreFileError.self) { try open(files, version: 2) }
    if case .objects(let error)? = error {
      #expect(error.reason == .duplicateKey("0"))
    } else {
      Issue.record("\(String(describing: error))")
    }
    #expect(files.edit("/store/store.log") { $0 } == before)
  }

  @Test func `A file of a later version is an error that names both`() async throws {
    let files = SimulatedFiles()
    try await open(files, version: 5).close()
    let error = #expect(throws: StoreFileError.self) { try open(files, version: 4) }
    #expect(
      error?.description == "the file has version 5 of the classes, and the app has version 4")
  }

  @Test func `A new file has the app's version, and no step runs for it`() async throws {
    let files = SimulatedFiles()
    try await open(files, version: 2, [2: { _ in throw Refused() }]).close()
    try await open(files, version: 2, [2: { _ in throw Refused() }]).close()
  }

  @Test func `Objects can be added and removed, with their parts and the links to them`()
    async throws
  {
    let files = try await oldFile()
    let file = try open(
      files, version: 2,
      [
        1: migrate,
        2: { migration in
          migration.remove(migration.objects(Task2.self)[0])
          let added = Task2()
          (added.number, added.title) = (9, "d")
          migration.add(added)
        },
      ])
    #expect(tasks(file).map(\.title) == ["b", "c", "d"])
    #expect(tasks(file)[0].after.isEmpty)
    #expect(try open(files.afterKill(), version: 2).store.contents == file.store.contents)
  }

  @Test func `A step can replace a part, and the former one is gone`() async throws {
    let files = try await oldFile()
    try await open(files, version: 2, [2: migrate]).close()
    let file = try open(
      files, version: 3,
      [
        3: { migration in
          for task in migration.objects(Task2.self) {
            let label = Label2()
            label.text = "new \(task.title)"
            task.label = label
          }
        }
      ])
    #expect(tasks(file).map { $0.label?.text } == ["new a", "new b", "new c"])
    #expect(file.store.objectsInOrder.count == 6)
    #expect(file.store.brokenInvariants() == [])
  }

  @Test func `A part that a step adds without an owner is an error`() async throws {
    let files = try await oldFile()
    let error = #expect(throws: StoreFileError.self) {
      try open(files, version: 2, [1: migrate, 2: { $0.add(Label2()) }])
    }
    #expect(error.map { "\($0)" }?.contains("it is embedded and has no owner") == true)
  }

  @Test func `A name that the file lacks is an error that names it`() async throws {
    let files = try await oldFile()
    let error = #expect(throws: StoreFileError.self) {
      try open(
        files, version: 1,
        [1: { migration in _ = try migration.oldObjects("UserX")[0].value("nom", as: String.self) }]
      )
    }
    #expect("\(String(describing: error))".contains("UserX.nom"))
  }

  @Test func `A migration to a version that no file gets traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try StoreFile(at: "/nowhere/x", version: 1, migrations: [2: { _ in }])
    }
    expectError(result, "a migration to version 2 never runs: the versions are 1 to 1")
  }
}
