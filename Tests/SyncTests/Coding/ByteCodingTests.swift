import SignalsSync
import TestSupport
import Testing

@Suite("Bytes")
struct ByteCodingTests {
  static let numbers: [UInt64] = (0..<64).map { (1 as UInt64) << $0 }.flatMap { [$0, $0 - 1] }

  @Test(arguments: numbers)
  func `A varint is read unchanged, and has as few bytes as it needs`(number: UInt64) throws {
    var writer = ByteWriter()
    writer.writeVarint(number)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.readVarint() == number)
    #expect(reader.isAtEnd)
    #expect(writer.count == max(1, (64 - number.leadingZeroBitCount + 6) / 7))
  }

  @Test(arguments: [0, 1, -1, 63, -64, 64, .max, .min])
  func `A number of small magnitude has a small zigzag form`(number: Int64) {
    #expect(Int64(zigzag: number.zigzag) == number)
    #expect((number.zigzag < 128) == (-64...63 ~= number))
  }

  @Test(arguments: [
    [0x80, 0x00], [0xff, 0x00], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  ])
  func `A varint with needless bytes, or too many bits, is refused`(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    #expect(throws: ByteError.invalidNumber(offset: 0)) { try reader.readVarint() }
  }

  @Test func `Fixed numbers are little-endian`() throws {
    var writer = ByteWriter()
    writer.writeFixed(0x0102_0304 as UInt32)
    writer.writeFixed(0x0102_0304_0506_0708 as UInt64)
    #expect(writer.bytes == [4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1])
    var reader = ByteReader(writer.bytes)
    #expect(try reader.readFixed32() == 0x0102_0304)
    #expect(try reader.readFixed64() == 0x0102_0304_0506_0708)
    #expect(throws: ByteError.endOfBytes(offset: 12)) { try reader.readFixed32() }
    #expect(throws: ByteError.endOfBytes(offset: 12)) { try reader.readFixed64() }
    #expect(throws: ByteError.endOfBytes(offset: 12)) { try reader.read() }
  }

  @Test func `A count that the bytes can't hold is refused before anything is allocated`() {
    var reader = ByteReader([0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3])
    #expect(throws: ByteError.invalidCount(0xffff_ffff, offset: 0)) { try reader.readText() }
    reader = ByteReader([3, 0, 0, 0, 0, 0])
    #expect(throws: ByteError.invalidCount(3, offset: 0)) { try reader.readCount(ofSize: 2) }
  }

  @Test func `A text that isn't UTF-8 is refused`() {
    var reader = ByteReader([2, 0xc3, 0x28])
    #expect(throws: ByteError.invalidText(offset: 1)) { try reader.readText() }
  }

  @Test func `A reader never reads beyond its range`() throws {
    var reader = ByteReader([1, 2, 3, 4], in: 1..<3)
    #expect(throws: ByteError.endOfBytes(offset: 1)) { try reader.skip(3) }
    #expect(try reader.readSlice(count: 2) == [2, 3])
    #expect(reader.peek() == nil)
    reader.move(to: 0..<1)
    #expect(reader.peek() == 1)
    #expect(reader.remaining == 1)
  }
}
