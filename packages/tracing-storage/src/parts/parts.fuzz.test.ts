import { expect, test, vi } from "vitest";
import { damagedBytes, type Random, randomOf } from "../testing/damaged-bytes.ts";
import { plainBlock, sealed, streamOf, t64Block, t64Of, t64Types } from "../testing/written-blocks.ts";
import { BloomIndex, bloomHashes } from "./bloom-index.ts";
import { unpackBlockAt, unpackFile } from "./packed-block.ts";
import { PrimaryIndex } from "./primary-index.ts";
import { T64Values } from "./t64.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const timeoutMs = 30_000 + rounds * 10;
/** Size limit of one buffer: the limit of a block. */
const maxPiece = 64 * 1024 * 1024;

const random = randomOf(7);
const integers = [
  [5n],
  Array.from({ length: 100 }, () => 77n),
  Array.from({ length: 150 }, () => BigInt(random(4_000))),
  Array.from({ length: 64 }, () => BigInt(random(2 ** 32)) >> 1n),
];
const texts = [
  "a",
  "abcabc".repeat(40),
  "any text ".repeat(100),
  Array.from({ length: 90 }, () => random(1e9)).join(),
];

const t64s = t64Types.flatMap(({ type, isSigned }) =>
  integers.map((values) => t64Of(type, isSigned ? values.map((value) => value - 1_000n) : values)),
);
const blocks = [
  ...(["none", "lz4", "zstd"] as const).flatMap((method) =>
    texts.map((text) => plainBlock(method, Buffer.from(text))),
  ),
  ...([undefined, "lz4", "zstd"] as const).flatMap((then) =>
    t64Types.flatMap(({ type }) => integers.slice(1).map((values) => t64Block(type, values, then))),
  ),
];
const files = Array.from({ length: 30 }, () =>
  Buffer.concat(Array.from({ length: 1 + random(4) }, () => blocks[random(blocks.length)] as Buffer)),
);

/** A filter in the form of a file. */
function filter(): Buffer {
  const values = random(200);
  const count = values < 128 ? [values] : [(values & 127) | 128, 1];
  const bits = Array.from({ length: Math.ceil((values * 10) / 8) }, () => random(256));
  return Buffer.from([...count, ...bits]);
}

/** Keys that consist of a text and a number. */
function keys(rows: number): Buffer {
  return Buffer.concat(
    Array.from({ length: rows }, (_, row) => {
      const text = Buffer.alloc(random(3) === 0 ? 130 : random(10), `service ${row}`);
      const length = text.length < 128 ? [text.length] : [(text.length & 127) | 128, 1];
      return Buffer.concat([
        Buffer.from(length),
        text,
        Buffer.from(Array.from({ length: 4 }, () => random(256))),
      ]);
    }),
  );
}

const value = bloomHashes(Buffer.from("value"));

/** Mostly with valid checksums, because otherwise nothing else would be checked. */
function mostlySealed(damaged: Buffer, any: Random): Buffer {
  return any(20) === 0 ? damaged : sealed(damaged);
}

/** Returns the number of read bytes, or throws an UnreadablePart. */
type Read = (bytes: Buffer, random: Random) => number;

const readers: readonly [name: string, read: Read, messages: readonly Buffer[]][] = [
  [
    "blocks",
    (damaged, any) => {
      const bytes = mostlySealed(damaged, any);
      const { end, bytes: unpacked } = unpackBlockAt(bytes, 0);
      expect(end).toBeGreaterThan(0);
      expect(end).toBeLessThanOrEqual(bytes.length);
      expect(unpacked.length).toBeLessThanOrEqual(maxPiece);
      // Only pieces are read, as for few rows.
      const from = 8 * any(Math.floor(unpacked.length / 8) + 1);
      const to = Math.min(from + 800, unpacked.length - (unpacked.length % 8));
      return unpacked.subarray(from, Math.max(from, to)).length;
    },
    blocks,
  ],
  [
    "blocks somewhere in a file",
    (damaged, any) => {
      const bytes = mostlySealed(damaged, any);
      // The next block begins at the end of a block, but a mark may have any position.
      let at = any(8) === 0 ? any(bytes.length + 30) : 0;
      for (let block = any(3); block >= 0; block--) {
        at = unpackBlockAt(bytes, at).end;
      }
      return at;
    },
    files,
  ],
  ["files", (damaged, any) => unpackFile(mostlySealed(damaged, any)).length, files],
  [
    "integers packed by T64",
    (bytes, any) => {
      const width = any(2) === 0 ? 4 : 8;
      const length = width * (any(3) === 0 ? any(200) : (integers[any(4)] as bigint[]).length);
      const values = new T64Values(bytes, length);
      return values.subarray(0, length).length;
    },
    t64s,
  ],
  [
    "filters",
    (bytes) => (new BloomIndex(() => streamOf(bytes)).mayHaveAny(0, [value]) ? 1 : 0),
    Array.from({ length: 20 }, filter),
  ],
  [
    "keys of texts and numbers",
    (bytes, any) => {
      const index = new PrimaryIndex(bytes, ["LowCardinality(String)", "DateTime"]);
      const found = index.granulesOfNumbers([any(2 ** 32), any(2 ** 32)]);
      expect(found.every((granule) => granule >= 0 && granule + 1 < index.rows)).toBe(true);
      return index.rows + index.bytes;
    },
    Array.from({ length: 20 }, () => keys(1 + random(20))),
  ],
  [
    "keys of a fixed size",
    (bytes, any) => {
      const index = new PrimaryIndex(bytes, ["FixedString(16)", "DateTime('UTC')"]);
      const [from, to] = index.granulesOf(Buffer.alloc(16, any(256)));
      if (from < to) {
        expect(to).toBeLessThan(index.rows);
      }
      expect(from).toBeGreaterThanOrEqual(0);
      return to - from;
    },
    Array.from({ length: 20 }, () =>
      Buffer.from(Array.from({ length: 20 * (1 + random(20)) }, () => random(256))),
    ),
  ],
];

test.each(readers)(
  "reads damaged %s to the end or throws an UnreadablePart, never otherwise",
  (_name, read, messages) => {
    const any = randomOf(2026);
    const spies = (["alloc", "allocUnsafe", "allocUnsafeSlow"] as const).map((name) =>
      vi.spyOn(Buffer, name),
    );
    const seen = { good: 0, refused: 0 };
    let largest = 0;
    for (let round = 0; round < rounds; round++) {
      const message = damagedBytes(messages, any);
      try {
        read(message, any);
        seen.good++;
      } catch (error) {
        if (!(error instanceof UnreadablePart)) {
          throw new Error(`round ${round}: ${message.toString("hex")}`, { cause: error });
        }
        seen.refused++;
      }
      for (const spy of spies) {
        for (const [size] of spy.mock.calls) {
          largest = Math.max(largest, size);
        }
        spy.mockClear();
      }
    }
    expect(largest).toBeLessThanOrEqual(maxPiece);
    expect(seen.good).toBeGreaterThan(rounds / 50);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
