import SignalsSync
import SignalsTesting
import TestSupport
import Testing

@Suite("Bytes of files")
struct BytesTests {
  @Test(
    "XXH64 has the published values",
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func hashes(_ text: String, _ hash: UInt64) {
    #expect(XXHash64.hash(Array(text.utf8).span) == hash)
  }

  @Test("The hash of a range is that of its bytes, at any alignment")
  func ranges() {
    let bytes = (0..<200).map { UInt8($0) }
    for start in 0..<9 {
      for end in start..<120 {
        let part = Array(bytes[start..<end])
        #expect(XXHash64.hash(bytes.span, in: start..<end) == XXHash64.hash(part.span))
      }
    }
  }

  @Test("A change of any bit changes the hash")
  func bits() {
    let bytes = (0..<77).map { UInt8($0) }
    var hashes: Set<UInt64> = [XXHash64.hash(bytes.span)]
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      hashes.insert(XXHash64.hash(changed.span))
    }
    #expect(hashes.count == bytes.count * 8 + 1)
  }

  @Test("A head depends on each entry, and on their order and boundaries")
  func chains() {
    let logs: [[[UInt8]]] = [
      [], [[]], [[], []], [[1], [2]], [[2], [1]], [[1], [1]], [[2], [2]], [[1, 2]], [[], [1, 2]],
      [[1, 2], []],
    ]
    let chains = logs.map { $0.reduce(LogHead.start) { $0.after($1) }.chain }
    #expect(Set(chains).count == logs.count)
  }

  @Test("Variable-length integers are read unchanged")
  func varints() {
    let powers = (0..<64).flatMap { [UInt64(1) << UInt64($0), (UInt64(1) << UInt64($0)) - 1] }
    for value in powers + [.max, .max - 1, 300] {
      var bytes: [UInt8] = []
      bytes.append(varint: value)
      #expect(bytes.count == [UInt8].varintSize(value))
      var offset = 0
      #expect(bytes.span.varint(at: &offset, end: bytes.count) == value)
      #expect(offset == bytes.count)
    }
  }

  @Test(
    "Integers that end early, exceed 64 bits or have a shorter form are refused",
    arguments: [
      [], [0x80], [0xff, 0xff], [0x80, 0x00], [0xff, 0x80, 0x00],
      [UInt8](repeating: 0xff, count: 9) + [0x02], [UInt8](repeating: 0x80, count: 11),
    ] as [[UInt8]])
  func badVarints(_ bytes: [UInt8]) {
    var offset = 0
    #expect(bytes.span.varint(at: &offset, end: bytes.count) == nil)
  }

  @Test("A sealed record is read unchanged, and only whole")
  func sealedWords() throws {
    let format = FileFormat("Testing", version: 3)
    let words = SealedWords([1, .max, 0x0102_0304_0506_0708])
    let bytes = words.bytes(as: format)
    #expect(bytes.count == SealedWords.size(ofWords: 3))
    #expect(try SealedWords(bytes + [1, 2, 3], as: format) == words)
    for count in 0..<bytes.count {
      #expect(throws: SealedWords.Failure.incomplete) {
        try SealedWords(Array(bytes[..<count]), as: format)
      }
    }
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: SealedWords.Failure.self) { try SealedWords(changed, as: format) }
    }
    #expect(throws: SealedWords.Failure.otherVersion(3)) {
      try SealedWords(bytes, as: FileFormat("Testing", version: 4))
    }
    #expect(throws: SealedWords.Failure.otherFormat) {
      try SealedWords(bytes, as: FileFormat("testing", version: 3))
    }
  }
}

@Suite("Partition")
struct PartitionTests {
  @Test("The name of a partition's file is read back, whatever its characters")
  func fileNames() {
    var chance = SeededRandom(seed: firstSeed)
    var names = ["", ".", "..", "a/b", "%", "A", "a", "ü", "\0", "conversation=42", "a.log"]
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0..<12, using: &chance)).map { _ in
        Unicode.Scalar(UInt32.random(in: 0..<0xd800, using: &chance))!
      }
      names.append(String(String.UnicodeScalarView(scalars)))
    }
    var files: Set<String> = []
    for name in Set(names.map { Array($0.utf8) }).map({ String(decoding: $0, as: UTF8.self) }) {
      let file = Partition(name).logName
      #expect(files.insert(file).inserted, "seed \(firstSeed)")
      #expect(!file.contains("/") && file.lowercased() == file)
    }
  }

  @Test("Names that only look equal are different partitions")
  func canonicalEquivalence() {
    let (composed, decomposed) = (Partition("caf\u{e9}"), Partition("cafe\u{301}"))
    #expect(composed.name == decomposed.name)
    #expect(composed != decomposed)
    #expect(composed.logName != decomposed.logName)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(composed == Partition("caf\u{e9}"))
    #expect(composed.hashValue == Partition("caf\u{e9}").hashValue)
  }

  @Test("The file of the longest name has a name that every file system takes")
  func longestName() {
    let name = Partition(String(repeating: "\u{1}", count: LogLimits.nameSize))
    #expect(name.snapshotName.utf8.count + ".new".utf8.count <= 255)
  }
}
