package import Signals

/// A dish of a kitchen, whose stock is a sum.
package final class StockedDish: Object {
  @Field package var name = ""
  @Field package var price = 0
  @Field package var isServed = false
  @Counter package var stock = 0
  @Counter package var sold = 0
  @Counter package var few: Int8 = 0
  @Counter package var many: UInt8 = 0
  @Counter package var weight = 0.0
  @Link package var side: StockedDish?
  @Links package var parts: List<StockedDish>

  package convenience init(_ name: String, stock: Int = 0) {
    self.init()
    self.name = name
    self.stock = stock
  }
}

package final class Sale: Object {
  @Field package var quantity = 0
  @Link package var dish: StockedDish?

  package convenience init(_ dish: StockedDish, _ quantity: Int) {
    self.init()
    self.dish = dish
    self.quantity = quantity
  }
}
