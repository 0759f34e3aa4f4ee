"""An example of each command, as its `--help` shows it."""

EXAMPLES = {
    "farm": "farm run klondike-solvability --deals 1000",
    "farm run": "farm run klondike-solvability --deals 1000",
    "farm run cribbage-board": "farm run cribbage-board --out runs/board",
    "farm run cribbage-calibrate": "farm run cribbage-calibrate --matches 30000",
    "farm run cribbage-crib-tables": "farm run cribbage-crib-tables --out runs/crib-tables",
    "farm run cribbage-ladder": "farm run cribbage-ladder --player hard --against easy,normal",
    "farm run cribbage-master-tables": "farm run cribbage-master-tables --out runs/master-tables",
    "farm run gallery-pimc": "farm run gallery-pimc --deals 200 --player search-deep",
    "farm run gallery-solvability": "farm run gallery-solvability --deals 1000",
    "farm run klondike-solvability": "farm run klondike-solvability --draw 1 --deals 10000",
    "farm run shenzhen-solvability": "farm run shenzhen-solvability --deals 10000",
    "farm resume": "farm resume runs/draw1 --limit-nodes 1000000000",
    "farm extend": "farm extend runs/draw1 --deals 20000",
    "farm merge": "farm merge runs/part-0 runs/part-1 --out runs/whole",
    "farm submit": "farm submit slurm klondike-solvability --deals 1000000 --out /shared/draw3",
    "farm submit slurm": "farm submit slurm klondike-solvability --nodes 4 --out /shared/draw3",
    "farm submit ray": "farm submit ray klondike-solvability --out s3://bucket/draw3 --go",
    "farm submit kuberay": (
        "farm submit kuberay klondike-solvability --image IMAGE --out s3://bucket/draw3"
    ),
    "farm status": "farm status runs/draw1 --follow",
    "farm report": "farm report runs/draw1",
    "farm compare": "farm compare runs/draw1 --reference klondike-draw1",
    "farm query": 'farm query runs/draw1 "select outcome, count(*) from rows group by outcome"',
    "farm verify": "farm verify runs/draw1",
    "farm compact": "farm compact runs/draw1",
    "farm validate": "farm validate runs/draw1/benchmark.json",
    "farm bench": "farm bench klondike --deals 100",
    "farm bench cribbage": "farm bench cribbage --cribbagesim-python python3.12",
    "farm bench klondike": "farm bench klondike --deals 100 --out peers.json",
    "farm jobs": "farm jobs --json",
    "farm deal": "farm deal klondike --seed 7 --unit 0",
    "farm deal gallery": "farm deal gallery --seed 7 --unit 0",
    "farm deal klondike": "farm deal klondike --seed 7 --unit 0 --draw 1 --json",
    "farm deal shenzhen": "farm deal shenzhen --seed 7 --unit 0",
    "farm solve": "farm solve klondike --seed 7 --unit 0",
    "farm solve gallery": "farm solve gallery --seed 7 --unit 0",
    "farm solve klondike": "farm solve klondike runs/draw1:42 --hint",
    "farm solve shenzhen": "farm solve shenzhen --seed 7 --unit 0",
    "farm recommend": "farm recommend shenzhen board.png",
    "farm recommend shenzhen": "farm recommend shenzhen board.png --plan",
    "farm calibrate": "farm calibrate shenzhen screenshot.png --out my-art.json",
    "farm calibrate shenzhen": "farm calibrate shenzhen screenshot.png --out my-art.json",
    "farm play": "farm play cribbage --tier hard",
    "farm play cribbage": "farm play cribbage --tier hard --transcript match.json",
    "farm play gallery": "farm play gallery --seed 7 --unit 0",
    "farm coach": "farm coach cribbage match.json",
    "farm coach cribbage": 'farm coach cribbage --hand "5H 5C JD QS KD 2C" --dealer',
    "farm verify-transcript": "farm verify-transcript match.json",
    "farm export": "farm export runs/draw1 --parquet draw1.parquet",
    "farm export vectors": "farm export vectors cribbage --out vectors.jsonl",
    "farm export vectors cribbage": "farm export vectors cribbage --n 1000 --out vectors.jsonl",
}


def epilog(path: str) -> str | None:
    """The end of the help of a command, such as "farm run"; None where it has no example."""
    example = EXAMPLES.get(path)
    # \b: click leaves the lines that follow as they are.
    return None if example is None else f"\b\nExample:\n  {example}"
