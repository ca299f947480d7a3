import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MetadataCopy } from "./metadata-copy.ts";

let folder: string;
const engine = () => join(folder, "engine");
const copyOf = () => new MetadataCopy(folder, engine());
const text = "ATTACH TABLE _ UUID 'ü' (`name` String) ENGINE = MergeTree ORDER BY name";
const files = {
  "metadata/tracing.sql": "ATTACH DATABASE _ ENGINE = Atomic",
  "store/999/9990/spans.sql": text,
  "store/580/5800/format_version.txt": "1",
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "metadata-"));
  for (const [name, content] of Object.entries({ ...files, "store/580/5800/all_1_1_0/count.txt": "9" })) {
    await mkdir(dirname(join(engine(), name)), { recursive: true });
    await writeFile(join(engine(), name), content);
  }
  copyOf().endChange();
});
afterEach(() => rm(folder, { recursive: true }));

test.each(Object.keys(files))(
  "a byte that is another in %s is put right, and the damaged file kept",
  async (name) => {
    const path = join(engine(), name);
    const kept = join(folder, "damaged", name.replaceAll("/", "-"));
    const good = await readFile(path);
    for (let at = 0; at < good.length; at += 7) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x40;
      await writeFile(path, bad);
      expect(copyOf().mend()).toEqual([{ path, place: at, kept }]);
      expect([await readFile(path), await readFile(kept)]).toEqual([good, bad]);
      expect(copyOf().mend()).toEqual([]);
    }
    await truncate(path, 0);
    expect(copyOf().mend()).toHaveLength(1);
  },
);

test("what a statement or another program has changed is left as it is", async () => {
  const path = join(engine(), "store/999/9990/spans.sql");
  await writeFile(path, text.replace("ORDER BY name", "ORDER BY name TTL day"));
  expect(copyOf().mend()).toEqual([]);
  await rm(path);
  expect(copyOf().mend()).toEqual([]);
  const copy = copyOf();
  copy.beginChange();
  copy.beginChange();
  await writeFile(path, text.replace("String", "UInt64"));
  copy.endChange();
  // The process is killed at this point, during a statement.
  await writeFile(path, text.replace("String", "UInt32"));
  expect(copyOf().mend()).toEqual([]);
  copy.endChange();
  expect(await readdir(folder)).toEqual(["engine", "engine-metadata.json"]);
  expect(copyOf().mend()).toEqual([]);
});

test("damage is put right though a statement ran at the kill, in files that it has not written", async () => {
  const path = join(engine(), "store/999/9990/spans.sql");
  const database = join(engine(), "metadata/tracing.sql");
  await utimes(path, 1, 1);
  const { atime, mtime } = await stat(path);
  copyOf().beginChange();
  await writeFile(path, text.replace("String", "Strinf"));
  await utimes(path, atime, mtime);
  await writeFile(database, files["metadata/tracing.sql"].replace("Atomic", "Btomic"));
  expect(copyOf().mend()).toMatchObject([{ path }]);
  expect(await readFile(path, "utf8")).toBe(text);
  expect(await readFile(database, "utf8")).toMatch("Btomic");
});

test("a damaged copy is said and set aside, and mends nothing", async () => {
  const path = join(folder, "engine-metadata.json");
  const good = await readFile(path, "utf8");
  for (const bad of [good.replace("name", "nbme"), good.slice(1), "{}"]) {
    await writeFile(path, bad);
    await writeFile(join(engine(), "metadata/tracing.sql"), "BTTACH DATABASE _ ENGINE = Atomic");
    expect(copyOf().mend()).toEqual([{ path, place: 0, kept: `${path}.damaged` }]);
    expect(copyOf().mend()).toEqual([]);
  }
});
