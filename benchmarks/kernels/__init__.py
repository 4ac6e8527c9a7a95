"""asctile kernels of the algorithms that published simulator ticks exist for.

Written from descriptions of the algorithms. Every module has ``OPS``: name of an algorithm to a function that makes its
launch for one row of the table (:class:`benchmarks.kernels.case.Request` to :class:`benchmarks.kernels.case.Launch`).
"""
