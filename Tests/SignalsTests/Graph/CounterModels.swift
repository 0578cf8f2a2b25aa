import Signals

/// A dish of a kitchen, whose stock is a sum.
final class StockedDish: Object {
  @Field var name = ""
  @Field var price = 0
  @Field var isServed = false
  @Counter var stock = 0
  @Counter var sold = 0
  @Counter var few: Int8 = 0
  @Counter var many: UInt8 = 0
  @Counter var weight = 0.0
  @Link var side: StockedDish?
  @Links var parts: List<StockedDish>

  convenience init(_ name: String, stock: Int = 0) {
    self.init()
    self.name = name
    self.stock = stock
  }
}

final class Sale: Object {
  @Field var quantity = 0
  @Link var dish: StockedDish?

  convenience init(_ dish: StockedDish, _ quantity: Int) {
    self.init()
    self.dish = dish
    self.quantity = quantity
  }
}
