"""The player of seeded_class.py as a program that speaks JSON lines."""

import json
import random
import sys

chance = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    match message:
        case {"tell": "match"}:
            chance = random.Random(int(message["seed"]))
            continue
        case {"ask": "hello"}:
            answer = {"hello": "Seeded", "protocol": 1}
        case {"ask": "discard"}:
            answer = {"discard": chance.sample(message["seen"]["own_hand"], 2)}
        case {"ask": "play"}:
            answer = {"play": message["legal"][-1]}
    print(json.dumps(answer), flush=True)
