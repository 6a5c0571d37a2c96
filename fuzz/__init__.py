"""Coverage-guided fuzzing of everything that reads what somebody else wrote: ``python -m fuzz``.

A target (:mod:`fuzz.target`) is one reader with its seeds. Whatever bytes it is given, it must answer or raise a
``FedpactError``, within a few seconds and a bounded amount of memory; what it accepts must survive being written
and read again. Half of all changes are made by libFuzzer to the bytes, half by the target to what the bytes mean,
with checksums, hashes and signatures made good again, since bytes alone never get past these.
"""
