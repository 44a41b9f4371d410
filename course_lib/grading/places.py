"""What those outside and inside of the box both have to know."""

FOLDER = "/student"  # the only place a student can write to; /tmp lies within
SECOND_PROC = "/.proc"  # a whole view of processes; without one, nobody may mount another
NICE = 10  # how far every process of a student stands back behind those that grade
ONE_THREAD = {f"{lib}_NUM_THREADS": "1" for lib in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
