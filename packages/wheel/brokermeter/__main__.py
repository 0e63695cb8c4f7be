"""python -m brokermeter."""

from brokermeter import main

main()
