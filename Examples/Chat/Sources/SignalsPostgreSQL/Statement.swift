/// The statements of the log, which each connection prepares.
///
/// Those that are sent together are one transaction.
enum Statement: String, CaseIterable, Sendable {
  case head, heads, create, lock, present, append, entries
  case snapshot, lockSnapshot, setSnapshot, clearSnapshot, addSnapshotPart, truncate
  case claim, notify, decide, decline, decision, forget, prepared
  case names, row, begin, clearMoved, restart, addPage, hold, dropParts, addPart
  case seal, open, point, clear

  /// The channel on which appends to idle partitions are announced, by the names' UTF-8 in hexadecimal digits.
  static let channel = "signals_log"

  /// The text with its parameters.
  var text: String {
    switch self {
    // $1: name
    case .head: "SELECT moved_to, head, chain FROM partitions WHERE name = $1::bytea"

    // A partition that was moved has another head than before.
    // $1: names
    case .heads:
      """
      SELECT name, CASE WHEN moved_to IS NULL THEN head ELSE -2 - moved_to END
      FROM partitions WHERE name = ANY ($1::bytea[])
      """

    // $1: names
    case .create:
      """
      INSERT INTO partitions (name) SELECT name FROM unnest($1::bytea[]) name ORDER BY name
      ON CONFLICT DO NOTHING
      """

    // Locked in the order of the names, so that two appends don't wait for each other.
    // $1: names
    case .lock:
      """
      SELECT FROM partitions WHERE name = ANY ($1::bytea[]) ORDER BY name FOR UPDATE
      """

    // The heads, and the chain after the last entry to append, if there is one at its position. Not in the
    // statement that locks, which sees other tables as they were before it had to wait.
    // $1: names, $2: positions of the last entries
    case .present:
      """
      SELECT p.name, p.moved_to, p.head, p.chain,
        (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = i.last)
      FROM partitions p JOIN unnest($1::bytea[], $2::bigint[]) i (name, last) ON i.name = p.name
      """

    // The entries of a call are added if all of its partitions have the expected heads. Listeners are notified
    // of partitions that were idle, because a notification takes a lock of the whole database at the commit.
    // $1: names, $2: numbers of their calls, $3, $4: expected heads, $5, $6: heads after the entries; of each
    // entry $7: the place of its partition in $1, $8: position, $9: chain after it, $10: content; $11: 1 if
    // listeners are notified
    case .append:
      """
      WITH input AS (
        SELECT i.call, i.head, i.chain, p.id,
          p.touched NOT BETWEEN clock_timestamp() - interval '1 second' AND clock_timestamp() AS idle
        FROM unnest(
          $1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
          i (name, call, old, old_chain, head, chain)
        LEFT JOIN partitions p ON p.name = i.name AND p.head = i.old AND p.chain = i.old_chain
          AND p.moved_to IS NULL
      ), whole AS (
        SELECT call FROM input GROUP BY call HAVING count(id) = count(*)
      ), moved AS (
        UPDATE partitions p SET head = i.head, chain = i.chain, touched = clock_timestamp()
        FROM input i JOIN whole w ON w.call = i.call WHERE p.id = i.id
        RETURNING p.id, p.name, i.idle
      ), added AS (
        INSERT INTO entries (partition, position, chain, bytes)
        SELECT m.id, e.position, e.chain, e.bytes
        FROM unnest($7::bigint[], $8::bigint[], $9::bigint[], $10::bytea[])
          e (place, position, chain, bytes)
        JOIN moved m ON m.name = ($1::bytea[])[e.place]
      )
      SELECT pg_notify('\(Statement.channel)', encode(name, 'hex')) FROM moved WHERE idle AND $11::bigint = 1
      """

    // First the base and the head, then entries, with the chain after each, of which all but the last have at most
    // $4 bytes.
    // $1: name, $2: position, $3: limit, $4: bytes
    case .entries:
      """
      SELECT 0::bigint, moved_to, base, head, chain, ''::bytea FROM partitions WHERE name = $1::bytea
      UNION ALL
      (SELECT 1::bigint, 0, position, 0, chain, bytes FROM (
        SELECT position, chain, bytes,
          sum(octet_length(bytes)) OVER (ORDER BY position) - octet_length(bytes) AS before
        FROM (
          SELECT e.position, e.chain, e.bytes FROM partitions p JOIN entries e ON e.partition = p.id
          WHERE p.name = $1::bytea AND e.position >= $2::bigint
          ORDER BY e.position LIMIT $3::bigint
        ) page
      ) sized WHERE before <= $4::bigint)
      ORDER BY 1, 3
      """

    // $1: name
    case .snapshot:
      """
      SELECT p.moved_to, p.snapshot, p.snapshot_chain, s.bytes
      FROM partitions p LEFT JOIN snapshots s ON s.partition = p.id
      WHERE p.name = $1::bytea ORDER BY s.part
      """

    // The chain at a position is that after the entry before, or the base's.
    // $1: name, $2: position
    case .lockSnapshot:
      """
      SELECT p.moved_to, p.base, p.head, p.chain, coalesce(p.snapshot, -1),
        CASE WHEN p.base = $2::bigint THEN p.base_chain ELSE
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        END
      FROM partitions p WHERE p.name = $1::bytea FOR UPDATE OF p
      """

    // $1: name, $2, $3: head of the snapshot
    case .setSnapshot:
      """
      UPDATE partitions p SET snapshot = $2::bigint, snapshot_chain = $3::bigint
      WHERE p.name = $1::bytea AND p.base <= $2::bigint AND p.head >= $2::bigint AND p.moved_to IS NULL
        AND $3::bigint = CASE WHEN p.base = $2::bigint THEN p.base_chain ELSE
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        END
      """

    // Nothing is removed or added if the snapshot was refused.
    // $1: name, $2, $3: head of the snapshot
    case .clearSnapshot:
      """
      DELETE FROM snapshots s USING partitions p WHERE s.partition = p.id AND p.name = $1::bytea
        AND p.snapshot = $2::bigint AND p.snapshot_chain = $3::bigint AND p.moved_to IS NULL
      """

    // $1: name, $2, $3: head of the snapshot, $4: number of the part, $5: bytes
    case .addSnapshotPart:
      """
      INSERT INTO snapshots (partition, part, bytes)
      SELECT p.id, $4::bigint, $5::bytea FROM partitions p WHERE p.name = $1::bytea
        AND p.snapshot = $2::bigint AND p.snapshot_chain = $3::bigint AND p.moved_to IS NULL
      """

    // $1: name, $2: position
    case .truncate:
      """
      WITH moved AS (
        UPDATE partitions p SET base = $2::bigint, base_chain =
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        WHERE p.name = $1::bytea AND p.base < $2::bigint AND p.snapshot >= $2::bigint
          AND p.moved_to IS NULL
        RETURNING p.id
      )
      DELETE FROM entries e USING moved m WHERE e.partition = m.id AND e.position < $2::bigint
      """

    // MARK: Several databases

    // Says where a partition is that database 0 doesn't know yet. Listeners there learn that it begins.
    // $1: name, $2: number of the database
    case .claim:
      """
      WITH claimed AS (
        INSERT INTO partitions (name, moved_to) VALUES ($1::bytea, nullif($2::bigint, 0))
        ON CONFLICT DO NOTHING RETURNING name
      )
      SELECT pg_notify('\(Statement.channel)', encode(name, 'hex')) FROM claimed
      """

    // $1: names
    case .notify:
      "SELECT pg_notify('\(Statement.channel)', encode(name, 'hex')) FROM unnest($1::bytea[]) name"

    // Fails if the transaction was declined, and with it the whole transaction. Nothing is decided if the
    // entries couldn't be appended.
    // $1: transaction, $2: names, $3, $4: heads after the entries
    case .decide:
      """
      INSERT INTO decisions (name, is_committed) SELECT $1::bytea, true
      WHERE NOT EXISTS (
        SELECT FROM unnest($2::bytea[], $3::bigint[], $4::bigint[]) i (name, head, chain)
        LEFT JOIN partitions p ON p.name = i.name AND p.head = i.head AND p.chain = i.chain
          AND p.moved_to IS NULL
        WHERE p.id IS NULL
      ) AND NOT EXISTS (SELECT FROM decisions WHERE name = $1::bytea AND is_committed)
      """

    // $1: transaction
    case .decline:
      "INSERT INTO decisions (name, is_committed) VALUES ($1::bytea, false) ON CONFLICT DO NOTHING"

    // $1: transaction
    case .decision: "SELECT is_committed::int::bigint FROM decisions WHERE name = $1::bytea"

    // Those that were declined can't be decided after a day. $1: transaction
    case .forget:
      """
      DELETE FROM decisions WHERE name = $1::bytea
        OR NOT is_committed AND made < clock_timestamp() - interval '1 day'
      """

    // $1: prefix
    case .prepared:
      """
      SELECT convert_to(gid, 'UTF8') FROM pg_prepared_xacts
      WHERE database = current_database() AND starts_with(gid, convert_from($1::bytea, 'UTF8'))
      """

    // MARK: Moves

    // $1: name
    case .names: "SELECT name FROM partitions WHERE name > $1::bytea ORDER BY name LIMIT 1000"

    // $1: name
    case .row:
      """
      SELECT moved_to, epoch, base, base_chain, head, chain, snapshot, snapshot_chain
      FROM partitions WHERE name = $1::bytea
      """

    // A partition that comes is at its source until it is opened.
    // $1: name, $2: number of the source, $3: move
    case .begin:
      """
      INSERT INTO partitions AS p (name, moved_to, epoch) VALUES ($1::bytea, $2::bigint, $3::bigint)
      ON CONFLICT (name) DO UPDATE SET moved_to = $2::bigint, epoch = $3::bigint, head = 0, chain = 0,
        base = 0, base_chain = 0, snapshot = NULL, snapshot_chain = NULL
      WHERE p.epoch < $3::bigint
      """

    // Removes what an earlier stay has left, before something was copied.
    // $1: name, $2: number of the source, $3: move
    case .clearMoved:
      """
      WITH coming AS (
        SELECT id FROM partitions WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint
          AND head = 0 AND snapshot IS NULL
      ), entries AS (DELETE FROM entries USING coming WHERE partition = id)
      DELETE FROM snapshots USING coming WHERE partition = id
      """

    // Removes copies that don't continue at the source's base, or have another history.
    // $1: name, $2: number of the source, $3: move, $4, $5: base, $6: head
    case .restart:
      """
      WITH coming AS (
        UPDATE partitions SET base = $4::bigint, base_chain = $5::bigint, head = $4::bigint,
          chain = $5::bigint
        WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint AND head = $6::bigint
        RETURNING id
      )
      DELETE FROM entries USING coming WHERE partition = id
      """

    // $1: name, $2: number of the source, $3: move, $4: positions, $5: chains, $6: contents
    case .addPage:
      """
      WITH coming AS (
        UPDATE partitions SET head = ($4::bigint[])[cardinality($4::bigint[])] + 1,
          chain = ($5::bigint[])[cardinality($5::bigint[])]
        WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint
          AND head = ($4::bigint[])[1]
        RETURNING id
      )
      INSERT INTO entries (partition, position, chain, bytes)
      SELECT c.id, e.position, e.chain, e.bytes
      FROM coming c, unnest($4::bigint[], $5::bigint[], $6::bytea[]) e (position, chain, bytes)
      """

    // Locks the row of a partition that comes. The parts are removed by another statement, which sees those of
    // a transaction that this one has waited for.
    // $1: name, $2: number of the source, $3: move, $4, $5: head of the snapshot
    case .hold:
      """
      UPDATE partitions SET snapshot = $4::bigint, snapshot_chain = $5::bigint
      WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint
      """

    // $1: name, $2: number of the source, $3: move
    case .dropParts:
      """
      DELETE FROM snapshots s USING partitions p WHERE s.partition = p.id
        AND p.name = $1::bytea AND p.moved_to = $2::bigint AND p.epoch = $3::bigint
      """

    // $1: name, $2: number of the source, $3: move, $4: number of the part, $5: bytes
    case .addPart:
      """
      INSERT INTO snapshots (partition, part, bytes)
      SELECT id, $4::bigint, $5::bytea FROM partitions
      WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint
      """

    // Those that follow the partition here learn of it, and follow it at the target.
    // $1: name, $2: number of the target, $3: number of moves
    case .seal:
      """
      WITH sealed AS (
        UPDATE partitions SET moved_to = $2::bigint
        WHERE name = $1::bytea AND moved_to IS NULL AND epoch = $3::bigint RETURNING name
      )
      SELECT pg_notify('\(Statement.channel)', encode(name, 'hex')) FROM sealed
      """

    // With another number than before, so that a process that is late can't open it when it is sealed again.
    // The next append is announced. $1: name, $2: number of the source, $3: move, $4, $5: base, $6, $7: head,
    // $8, $9: head of the snapshot
    case .open:
      """
      WITH opened AS (
        UPDATE partitions SET moved_to = NULL, epoch = epoch + 1, base = $4::bigint,
          base_chain = $5::bigint, touched = '-infinity'
        WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint
          AND head = $6::bigint AND chain = $7::bigint
          AND snapshot IS NOT DISTINCT FROM $8::bigint
          AND snapshot_chain IS NOT DISTINCT FROM $9::bigint
        RETURNING id
      )
      DELETE FROM entries USING opened WHERE partition = id AND position < $4::bigint
      """

    // $1: name, $2: number of the target, $3: number of moves
    case .point:
      """
      UPDATE partitions SET moved_to = $2::bigint, epoch = $3::bigint
      WHERE name = $1::bytea AND moved_to IS NOT NULL AND epoch < $3::bigint
      """

    // $1: name, $2: number of the target, $3: number of moves
    case .clear:
      """
      WITH gone AS (
        UPDATE partitions SET snapshot = NULL, snapshot_chain = NULL
        WHERE name = $1::bytea AND moved_to = $2::bigint AND epoch = $3::bigint RETURNING id
      ), entries AS (DELETE FROM entries USING gone WHERE partition = id)
      DELETE FROM snapshots USING gone WHERE partition = id
      """
    }
  }
}

/// A statement with its parameters.
struct Query: Sendable {
  enum Content {
    case prepared(Statement)
    /// SQL that can't be prepared, without parameters.
    case text(String)
  }

  let content: Content
  let parameters: Parameters

  init(_ statement: Statement, _ add: (inout Parameters) -> Void = { _ in }) {
    var parameters = Parameters()
    add(&parameters)
    (content, self.parameters) = (.prepared(statement), parameters)
  }

  init(text: String) { (content, parameters) = (.text(text), Parameters()) }
}

/// The tables of the log.
///
/// A version of the tables has the steps of all earlier ones and one more.
enum Tables {
  static let steps = [
    """
    CREATE TABLE partitions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea NOT NULL UNIQUE,
      head bigint NOT NULL DEFAULT 0,
      chain bigint NOT NULL DEFAULT 0,
      touched timestamptz NOT NULL DEFAULT '-infinity',
      base bigint NOT NULL DEFAULT 0,
      base_chain bigint NOT NULL DEFAULT 0,
      snapshot bigint,
      snapshot_chain bigint
    ) WITH (fillfactor = 50);
    CREATE TABLE entries (
      partition bigint NOT NULL,
      position bigint NOT NULL,
      chain bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (partition, position)
    );
    CREATE TABLE snapshots (
      partition bigint NOT NULL,
      part bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (partition, part)
    );
    COMMENT ON COLUMN partitions.name IS 'UTF-8, as convert_from(name, ''UTF8'') shows it';
    """,
    """
    ALTER TABLE partitions ADD moved_to bigint, ADD epoch bigint NOT NULL DEFAULT 0;
    COMMENT ON COLUMN partitions.moved_to IS 'The number of the database that has the partition, if not this';
    COMMENT ON COLUMN partitions.epoch IS 'The number of moves, of which each counts twice';
    CREATE TABLE database (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      number bigint NOT NULL,
      log uuid NOT NULL
    );
    CREATE TABLE decisions (
      name bytea PRIMARY KEY,
      is_committed boolean NOT NULL,
      made timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    """,
  ]
}
