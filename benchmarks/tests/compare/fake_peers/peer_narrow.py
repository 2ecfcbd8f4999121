"""Does c2c f64 in natural order only, in one process, without threads."""
import fake

fake.about("narrow", mpi=False, threads=False, kinds=["c2c"], precisions=["f64"], layouts=["natural"], dims=[3])
fake.result(fake.arguments(), "narrow", 0.040)
