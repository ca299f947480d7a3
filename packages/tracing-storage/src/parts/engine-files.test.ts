import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ask, shareStorage } from "../../test/running-storage.ts";
import { randomOf } from "../testing/damaged-bytes.ts";
import { integersOf } from "../testing/written-blocks.ts";
import { BlockCache } from "./block-cache.ts";
import { BloomIndex, bloomHashes } from "./bloom-index.ts";
import { Marks } from "./marks.ts";
import { unpackBlockAt, unpackFile } from "./packed-block.ts";
import { PackedFile } from "./packed-file.ts";
import { PrimaryIndex } from "./primary-index.ts";
import { UnreadablePart } from "./unreadable-part.ts";

// Tests that read the files of a real engine.
const storage = shareStorage();

/** The newest part of a table. */
interface WrittenPart {
  readonly folder: string;
  readonly file: (name: string) => Buffer;
  /** Rows in the order of the part, as text: `SELECT <expressions>`. */
  readonly rows: (expressions: string) => Promise<string[][]>;
}

/** Creates a table whose parts have one file, with columns stored in the order of arrival. */
async function makeTable(table: string, columns: string, orderBy: string, granularity: number) {
  await ask(
    storage.url,
    `CREATE TABLE default.${table} (${columns}) ENGINE = MergeTree ORDER BY ${orderBy} ` +
      `SETTINGS index_granularity = ${granularity}, min_bytes_for_wide_part = 2147483648, ` +
      `min_rows_for_wide_part = 0, ratio_of_defaults_for_sparse_serialization = 1`,
  );
  await ask(storage.url, `SYSTEM STOP MERGES default.${table}`);
}

/** Inserts rows in the format RowBinary as one part. */
async function insert(table: string, rows: Buffer): Promise<WrittenPart> {
  const query = new URLSearchParams({
    query: `INSERT INTO default.${table} FORMAT RowBinary`,
    materialize_skip_indexes_on_insert: "1",
    max_insert_block_size: "1000000",
  });
  const response = await fetch(`${storage.url}/?${query}`, { method: "POST", body: new Uint8Array(rows) });
  expect([response.status, await response.text()]).toEqual([200, ""]);
  const [name, folder = ""] = (
    await ask(
      storage.url,
      `SELECT name, path FROM system.parts WHERE database = 'default' AND table = '${table}' AND active ` +
        `ORDER BY min_block_number DESC LIMIT 1`,
    )
  ).split("\t");
  return {
    folder,
    file: (file) => readFileSync(join(folder, file)),
    rows: async (expressions) =>
      (
        await ask(
          storage.url,
          `SELECT ${expressions} FROM default.${table} WHERE _part = '${name}' ORDER BY _part_offset FORMAT TSVRaw`,
        )
      )
        .split("\n")
        .map((row) => row.split("\t")),
  };
}

/** Decompresses a file block by block; some pieces of each block are read a second time. */
function unpackedPieceByPiece(file: Buffer, width: number, random: (below: number) => number): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const { bytes, end } = unpackBlockAt(file, at);
    const all = bytes.subarray(0, bytes.length);
    for (let count = 0; count < 20; count++) {
      const from = random(bytes.length / width + 1) * width;
      const to = from + random((bytes.length - from) / width + 1) * width;
      expect(bytes.subarray(from, to).equals(all.subarray(from, to))).toBe(true);
    }
    expect(end).toBeGreaterThan(at);
    blocks.push(all);
    at = end;
  }
  return Buffer.concat(blocks);
}

const random = randomOf(26);
const count = 2_700;

/** A random number with this many bits. */
function anyBits(bits: number): bigint {
  let value = 0n;
  for (let bit = 0; bit < bits; bit += 32) {
    value = (value << 32n) | BigInt(random(2 ** 32));
  }
  return BigInt.asUintN(bits, value);
}

function many(value: (index: number) => bigint, length = count): bigint[] {
  return Array.from({ length }, (_, index) => value(index));
}

/** Integers of one width, by their expected property. */
function shapesOf(bits: number): readonly (readonly [name: string, values: readonly bigint[]])[] {
  const half = 1n << BigInt(bits - 1);
  return [
    ["one value", [123_456n]],
    ["all zero", many(() => 0n)],
    ["all equal", many(() => 0x1234_5678n)],
    ["all minus one", many(() => -1n)],
    ["all the least", many(() => half)],
    ["two values that differ in one bit", many((index) => (index % 2 === 0 ? 6n : 7n), 130)],
    ["63 of 5 bits", many(() => 320n + anyBits(5), 63)],
    ["64 of 8 bits", many(() => 512n + anyBits(8), 64)],
    ["65 of 9 bits", many(() => 512n + anyBits(9), 65)],
    ["of 16 bits", many(() => (1n << 20n) + anyBits(16))],
    ["of 23 bits", many(() => anyBits(23))],
    ["around zero", many(() => anyBits(11) - 1_000n)],
    ["around zero, mostly negative", many(() => anyBits(12) - 4_095n)],
    ["from minus one to zero", many((index) => -BigInt(index % 2))],
    ["from minus 128 to 127", many(() => anyBits(8) - 128n)],
    ["from minus 129 to 127", many((index) => (index === 0 ? -129n : anyBits(7)))],
    ["from minus 128 to 128", many((index) => (index === 0 ? -128n : index === 1 ? 128n : anyBits(7)))],
    ["negative", many(() => -5_000n + anyBits(10))],
    ["around the half of all", many(() => half - 100n + anyBits(8))],
    ["the least and the most", many((index) => (index % 3 === 0 ? half : half - 1n))],
    ["all bits", many(() => anyBits(bits))],
    ["rising", many((index) => (1n << 30n) + BigInt(index * 977))],
  ];
}

const t64Types = [
  { type: "UInt32", width: 4 },
  { type: "Int32", width: 4 },
  { type: "DateTime('UTC')", width: 4 },
  { type: "UInt64", width: 8 },
  { type: "Int64", width: 8 },
  { type: "DateTime64(9, 'UTC')", width: 8 },
];
const t64Codecs = [
  { codec: "T64", method: 0x93 },
  { codec: "T64, LZ4", method: 0x91 },
  { codec: "T64, ZSTD(1)", method: 0x91 },
];

describe.each(t64Types)("T64 of $type", ({ type, width }) => {
  test.each(t64Codecs)("comes back from $codec", async ({ codec, method }) => {
    const table = `t64_${type.replace(/\W+/g, "_")}_${codec.replace(/\W+/g, "_")}`;
    await makeTable(table, `v ${type} CODEC(${codec})`, "tuple()", 1_000);
    for (const [name, values] of shapesOf(width * 8)) {
      const written = integersOf(width, values);
      const { file } = await insert(table, written);
      const data = file("data.bin");
      expect(data[16]).toBe(method);
      const read = unpackedPieceByPiece(data, width, random);
      expect([name, read.equals(written), unpackFile(data).equals(written)]).toEqual([name, true, true]);
    }
  });
});

test.each([
  ["UInt16 CODEC(T64)", 2],
  ["Int8 CODEC(T64)", 1],
  ["UInt64 CODEC(T64('bit'))", 8],
  ["Int64 CODEC(T64('bit'), LZ4)", 8],
  ["UInt64 CODEC(Delta, LZ4)", 8],
  ["UInt64 CODEC(DoubleDelta)", 8],
])("does not read %s", async (column, width) => {
  const table = `unread_${column.replace(/\W+/g, "_")}`;
  await makeTable(table, `v ${column}`, "tuple()", 1_000);
  const { file } = await insert(
    table,
    Buffer.concat(many((index) => BigInt(index)).map((value) => integersOf(8, [value]).subarray(0, width))),
  );
  expect(() => unpackFile(file("data.bin"))).toThrow(UnreadablePart);
});

describe.each([
  { codec: "LZ4", method: 0x82 },
  { codec: "LZ4HC(9)", method: 0x82 },
  { codec: "ZSTD(1)", method: 0x90 },
  { codec: "ZSTD(9)", method: 0x90 },
  { codec: "NONE", method: 0x02 },
])("blocks of $codec", ({ codec, method }) => {
  const table = `blocks_${codec.replace(/\W+/g, "_")}`;
  beforeAll(async () => {
    await makeTable(table, `v FixedString(16) CODEC(${codec})`, "tuple()", 4_000);
  });

  test.each<readonly [string, number, (bytes: Buffer, index: number) => unknown]>([
    ["one row", 1, (bytes) => bytes.write("only this")],
    ["any bytes", 20_000, (bytes) => bytes.fill(integersOf(8, [anyBits(64)]))],
    ["equal bytes", 20_000, (bytes) => bytes.fill(7)],
    ["text", 20_000, (bytes, index) => bytes.write(`row ${index}, ${index % 7}`)],
    ["now and then something", 20_000, (bytes) => random(50) === 0 && bytes.writeUInt32LE(random(2 ** 32))],
  ])("come back: %s", async (_name, rows, fill) => {
    const values = Array.from({ length: rows }, (_, index) => {
      const value = Buffer.alloc(16);
      fill(value, index);
      return value;
    });
    const written = Buffer.concat(values);
    const data = (await insert(table, written)).file("data.bin");
    expect(data[16]).toBe(method);
    expect(unpackedPieceByPiece(data, 16, random).equals(written)).toBe(true);
  });

  test("hold no more memory than they say", async () => {
    const data = (await insert(table, Buffer.alloc(16 * 4_000, "abcdefg"))).file("data.bin");
    const { bytes } = unpackBlockAt(Buffer.concat([data, Buffer.alloc(1_000_000)]), 0);
    expect(bytes.subarray(0, 16).buffer.byteLength).toBe(bytes.heldBytes);
    expect(bytes.heldBytes).toBe(16 * 4_000);
  });
});

test("a file with many blocks for each granule comes back whole", async () => {
  await makeTable("small_blocks", "v String CODEC(LZ4)", "tuple()", 1_000);
  await ask(
    storage.url,
    "ALTER TABLE default.small_blocks MODIFY SETTING min_compress_block_size = 1000, max_compress_block_size = 1000",
  );
  const texts = Array.from({ length: 3_500 }, (_, index) => `text ${index} `.repeat(index % 9));
  const rows = texts.map((text) => Buffer.concat([varUint(text.length), Buffer.from(text)]));
  const data = unpackFile((await insert("small_blocks", Buffer.concat(rows))).file("data.bin"));
  // Lengths and texts of a granule are stored one after the other.
  const granules = Array.from({ length: 4 }, (_, granule) => {
    const ofGranule = texts.slice(granule * 1_000, (granule + 1) * 1_000);
    const lengths = integersOf(
      8,
      ofGranule.map(({ length }) => BigInt(length)),
    );
    return Buffer.concat([lengths, Buffer.from(ofGranule.join(""))]);
  });
  expect(data.equals(Buffer.concat(granules))).toBe(true);
});

function varUint(value: number): Buffer {
  return value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value & 127) | 128]), varUint(value >> 7)]);
}

function anyBytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)));
}

describe("an index of the type bloom_filter(0.01)", () => {
  const granularity = 512;
  const cache = new BlockCache(1_000_000);

  /**
   * Values of several granules. The last granule is not full, but too large to be merged with the previous one. Some
   * values occur once in each granule, some granules have only one value, and some have few.
   */
  function valuesOf(value: () => Buffer): Buffer[] {
    const few = [value(), value(), value()];
    return Array.from({ length: 6 * granularity + 400 }, (_, row) => {
      if (row < granularity * 3) {
        return value();
      }
      return few[row < granularity * 4 ? 0 : row % 3] as Buffer;
    });
  }

  async function indexOf(
    table: string,
    type: string,
    values: readonly Buffer[],
    asRow: (v: Buffer) => Buffer,
  ) {
    await makeTable(
      table,
      `v ${type}, INDEX sought v TYPE bloom_filter(0.01) GRANULARITY 1`,
      "tuple()",
      granularity,
    );
    const { folder } = await insert(table, Buffer.concat(values.map(asRow)));
    const granules = Math.ceil(values.length / granularity);
    const path = join(folder, "skp_idx_sought");
    for (const other of [granules - 1, granules + 1]) {
      expect(() => Marks.open(`${path}.cmrk4`, 1, other, cache)).toThrow(UnreadablePart);
    }
    const marks = Marks.open(`${path}.cmrk4`, 1, granules, cache);
    return { index: BloomIndex.of(PackedFile.open(`${path}.idx`, cache), marks), granules };
  }

  test.each<readonly [string, string, () => Buffer, (value: Buffer) => Buffer]>([
    ["ids", "FixedString(16)", () => anyBytes(16), (value) => value],
    ["short ids", "FixedString(4)", () => anyBytes(4), (value) => value],
    ["texts", "String", () => anyBytes(random(80)), (text) => Buffer.concat([varUint(text.length), text])],
  ])("has all %s that are there, and few that are not", async (name, type, value, asRow) => {
    const values = valuesOf(value);
    const { index, granules } = await indexOf(`bloom_${name.replace(" ", "_")}`, type, values, asRow);
    const present = new Set(values.map((one) => one.toString("latin1")));
    for (const [row, one] of values.entries()) {
      expect(index.mayHaveAny(Math.floor(row / granularity), [bloomHashes(one)])).toBe(true);
    }
    const absent = Array.from({ length: 2_000 }, value).filter((one) => !present.has(one.toString("latin1")));
    let taken = 0;
    for (const one of absent) {
      const hashes = [bloomHashes(one)];
      for (let granule = 0; granule < granules; granule++) {
        if (index.mayHaveAny(granule, hashes)) {
          taken++;
        }
      }
    }
    expect(absent.length).toBeGreaterThan(1_500);
    expect(taken / (absent.length * granules)).toBeLessThan(0.05);
    // Most values occur in one granule only.
    const elsewhere = values
      .slice(0, granularity)
      .filter((one) => [1, 2].some((granule) => index.mayHaveAny(granule, [bloomHashes(one)])));
    expect(elsewhere.length / granularity).toBeLessThan(0.1);
  });
});

describe("a primary index", () => {
  const granularity = 64;

  test("says which granules may have a service's minutes", async () => {
    const services = ["", "a", "shop", "größe", "x".repeat(127), "y".repeat(128), "z".repeat(17_000)];
    await makeTable(
      "by_minute",
      "service LowCardinality(String), start DateTime64(9, 'UTC')",
      "(service, toStartOfMinute(start))",
      granularity,
    );
    const begin = 1_790_000_000n;
    const rows = Array.from({ length: 3_000 }, () => {
      const service = Buffer.from(random(2) === 0 ? "shop-2" : (services[random(20)] ?? "shop-3"));
      const start = (begin + BigInt(random(7_200))) * 1_000_000_000n + BigInt(random(1_000_000_000));
      return Buffer.concat([varUint(service.length), service, integersOf(8, [start])]);
    });
    const part = await insert("by_minute", Buffer.concat(rows));
    const index = new PrimaryIndex(unpackFile(part.file("primary.cidx")), [
      "LowCardinality(String)",
      "DateTime",
    ]);
    const keys = (await part.rows("service, toUInt32(toStartOfMinute(start))")).map(
      ([service, minute]) => [service, Number(minute)] as const,
    );
    const granules = Math.ceil(keys.length / granularity);
    expect([keys.length, index.rows]).toEqual([3_000, granules + 1]);
    const granulesOf = new Map<number, Set<number>>();
    for (const [row, [, minute]] of keys.entries()) {
      granulesOf.set(minute, (granulesOf.get(minute) ?? new Set()).add(Math.floor(row / granularity)));
    }
    const minutes = [...granulesOf.keys()];
    expect(minutes.length).toBeGreaterThan(100);
    let passedOver = 0;
    for (let round = 0; round < 300; round++) {
      const sought = Array.from({ length: random(4) }, () =>
        random(8) === 0 ? 1_700_000_040 : (minutes[random(minutes.length)] as number),
      );
      const found = index.granulesOfNumbers(sought);
      expect(found).toEqual(found.toSorted((one, other) => one - other));
      const wanted = sought.flatMap((minute) => [...(granulesOf.get(minute) ?? [])]);
      expect(wanted.filter((granule) => !found.includes(granule))).toEqual([]);
      passedOver += granules - found.length;
    }
    expect(passedOver).toBeGreaterThan(300 * granules * 0.5);
  });

  test("says which granules may have an id", async () => {
    await makeTable("by_id", "id FixedString(16), minute DateTime('UTC')", "(id, minute)", granularity);
    // Some ids fill granules, others occur in one row only.
    const ids = Array.from({ length: 400 }, () => anyBytes(16));
    const often = ids.slice(0, 5);
    const rows = Array.from({ length: 3_001 }, (_, row) => {
      const id = (row % 3 === 0 ? often[random(often.length)] : ids[row % ids.length]) as Buffer;
      return Buffer.concat([id, integersOf(4, [BigInt(random(2 ** 32))])]);
    });
    const part = await insert("by_id", Buffer.concat(rows));
    const index = new PrimaryIndex(unpackFile(part.file("primary.cidx")), [
      "FixedString(16)",
      "DateTime('UTC')",
    ]);
    const inPart = (await part.rows("hex(id)")).map(([hex = ""]) => hex.toLowerCase());
    const granules = Math.ceil(inPart.length / granularity);
    expect([inPart.length, index.rows]).toEqual([3_001, granules + 1]);
    for (const id of ids) {
      const there = inPart.flatMap((hex, row) =>
        hex === id.toString("hex") ? Math.floor(row / granularity) : [],
      );
      const [from, to] = index.granulesOf(id);
      expect(there.every((granule) => granule >= from && granule < to)).toBe(true);
      // At most one additional granule on each side.
      expect(to - from).toBeLessThanOrEqual(new Set(there).size + 2);
    }
    for (const id of [Buffer.alloc(16), Buffer.alloc(16, 255)]) {
      const [from, to] = index.granulesOf(id);
      expect(to - from).toBeLessThanOrEqual(0);
    }
    for (let round = 0; round < 300; round++) {
      const [from, to] = index.granulesOf(anyBytes(16));
      expect(to - from).toBeLessThanOrEqual(1);
    }
  });
});
