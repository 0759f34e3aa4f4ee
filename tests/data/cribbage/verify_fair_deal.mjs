// Reads a transcript on standard input and recomputes from its reveal, as in FAIR_DEAL.md, all that
// was random: commit, hand seeds, cuts, dealt cards and starters, and the rolls of programs.
// Prints "ok", or the first entry that differs, and then ends with status 1.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const PACK = [..."A23456789TJQK"].flatMap((rank) => [..."CDHS"].map((suit) => rank + suit));

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const seedBytes = (seed) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(seed);
  return bytes;
};

const handSeed = (secret, clientSeed, index) =>
  sha256(secret, `|${clientSeed}|${index}`).readBigUInt64BE() & (2n ** 63n - 1n);

const rollBits = (seed, tag, n) =>
  sha256(seedBytes(seed), `|${tag}|${n}`).readBigUInt64BE() >> 11n;

const roll = (seed, tag, n) => Number(rollBits(seed, tag, n)) / 2 ** 53;

const share = (seed, tag, n, size) => Number((rollBits(seed, tag, n) * BigInt(size)) >> 53n);

function draw(seed) {
  const pack = [...PACK];
  const drawn = [];
  for (let n = 0; n < 13; n++) {
    const last = 51 - n;
    const other = share(seed, "deal", n, last + 1);
    [pack[last], pack[other]] = [pack[other], pack[last]];
    drawn.push(pack[last]);
  }
  return drawn;
}

function cutsOf(seed) {
  for (const cuts = []; ; ) {
    const pack = [...PACK];
    const n = 2 * cuts.length;
    const [first] = pack.splice(share(seed, "cut", n, 52), 1);
    const [second] = pack.splice(share(seed, "cut", n + 1, 51), 1);
    cuts.push([first, second]);
    if (first[0] !== second[0]) return cuts;
  }
}

const byPack = (one, other) => PACK.indexOf(one) - PACK.indexOf(other);

class Difference extends Error {}

function same(where, expected, given) {
  const [one, other] = [JSON.stringify(expected), JSON.stringify(given)];
  if (one !== other) throw new Difference(`${where}: expected ${one}, got ${other}`);
}

function verify(transcript) {
  const { reveal, protocol, seats } = transcript;
  const secret = Buffer.from(reveal.secret, "hex");
  if (protocol !== 2) same("protocol", 1, protocol);
  same("commit", sha256(secret).toString("hex"), transcript.commit);
  if (protocol === 1) {
    const made = sha256(seedBytes(BigInt(reveal.master_seed)), `|${reveal.client_seed}|server`);
    same("reveal.secret", made.toString("hex"), reveal.secret);
  }
  const isCut = transcript.first_deal === "cut";
  const cuts = isCut ? cutsOf(handSeed(secret, reveal.client_seed, 0)) : [];
  same("cuts", cuts, transcript.cuts);
  if (isCut) {
    const [first, second] = cuts.at(-1);
    same("first_dealer", byPack(first, second) < 0 ? 0 : 1, transcript.first_dealer);
  }
  const isOurs = seats.map((seat) => seat.kind === "brain" || seat.kind === "random");
  const suffix = (seat) => (isOurs.every(Boolean) ? String(seat) : "");
  transcript.hands.forEach((hand, index) => {
    const where = `hands[${index}]`;
    const seed = handSeed(secret, reveal.client_seed, index);
    same(`${where}.index`, index, hand.index);
    same(`${where}.seed`, String(seed), hand.seed);
    same(`${where}.dealer`, (transcript.first_dealer + index) % 2, hand.dealer);
    const drawn = draw(seed);
    const six = (first) => drawn.slice(0, 12).filter((_, place) => place % 2 === first);
    for (const seat of [0, 1]) {
      const dealt = six(seat === hand.dealer ? 1 : 0).sort(byPack);
      same(`${where}.dealt[${seat}]`, dealt, hand.dealt[seat]);
    }
    const plays = [0, 0];
    hand.discards.forEach((each, place) => {
      const expected = isOurs[each.seat] ? roll(seed, "aid" + suffix(each.seat), 0) : null;
      same(`${where}.discards[${place}].roll`, expected, each.roll);
    });
    hand.plays.forEach((each, place) => {
      if (each.go) return;
      const n = plays[each.seat]++;
      const expected = isOurs[each.seat] ? roll(seed, "aip" + suffix(each.seat), n) : null;
      same(`${where}.plays[${place}].roll`, expected, each.roll);
    });
    if (hand.cut) same(`${where}.cut.card`, drawn[12], hand.cut.card);
  });
}

try {
  verify(JSON.parse(readFileSync(0, "utf8")));
  console.log("ok");
} catch (error) {
  console.log(error instanceof Difference ? error.message : `no transcript: ${error.message}`);
  process.exitCode = 1;
}
