"""Says that it is right with an error above its bound."""
import fake

fake.about("wrong")
fake.result(fake.arguments(), "wrong", 0.001, error_rel_l2=1e-3)
