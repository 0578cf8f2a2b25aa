import Foundation
package import Signals

/// What a process that was killed leaves: the last snapshot, through its encoding.
package func relaunched(_ store: Store) throws -> Store {
  let data = try JSONEncoder().encode(store.snapshot())
  return try Store(JSONDecoder().decode(Snapshot.self, from: data))
}
