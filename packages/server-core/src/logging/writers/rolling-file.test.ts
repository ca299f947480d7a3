import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeAppendGate } from "./append-gate.ts";
import { RollingFile, type RollingFileOptions } from "./rolling-file.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rolling-file-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function make(
  options: Partial<RollingFileOptions> = {},
  rules: Partial<RollingFileOptions["rules"]> = {},
): RollingFile {
  return new RollingFile({
    path: join(folder, "sub/access.log"),
    mode: 0o640,
    setMode: true,
    folderMode: 0o750,
    maxBytes: 10,
    schedule: { everyMs: 0, minutes: [], daily: [] },
    rules: {
      compression: "none",
      keep: 3,
      keepDays: 1,
      timeFormat: "2006-01-02T15-04-05.000",
      local: false,
      ...rules,
    },
    exclusively: (work) => work(),
    appending: { enter: () => () => {}, settle: async () => {} },
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}

const names = () => readdirSync(join(folder, "sub")).sort();
const read = (name: string) => readFileSync(join(folder, "sub", name), "utf8");
const append = (file: RollingFile, text: string) => file.append(Buffer.from(text));
/** Names have milliseconds, so two files rolled in the same millisecond would get one name. */
const nextMs = async () => {
  for (const start = Date.now(); Date.now() === start; ) {
    await new Promise(setImmediate);
  }
};

test("makes folders and file with their permissions", async () => {
  const file = make();
  await file.open();
  await append(file, "a\n");
  await file.close();
  expect(read("access.log")).toBe("a\n");
  expect(statSync(join(folder, "sub")).mode & 0o777).toBe(0o750);
  expect(statSync(join(folder, "sub/access.log")).mode & 0o777).toBe(0o640);
});

test("a file that would grow too large is put aside; only some are kept", async () => {
  const file = make();
  await file.open();
  for (let index = 0; index < 6; index++) {
    await append(file, `line ${index}.\n`);
    await nextMs();
  }
  await file.close();
  const found = names();
  expect(found).toHaveLength(4);
  expect(found.at(-1)).toBe("access.log");
  expect(found.slice(0, 3).every((name) => /^access-[\dT.-]+-size\.log$/.test(name))).toBe(true);
  expect(found.map(read)).toEqual(["line 2.\n", "line 3.\n", "line 4.\n", "line 5.\n"]);
});

test("files put aside are compressed", async () => {
  const file = make({}, { compression: "gzip" });
  await file.open();
  await append(file, "first line\n");
  await append(file, "second\n");
  await file.close();
  const [old = "", current = ""] = names();
  expect(old).toMatch(/-size\.log\.gz$/);
  expect(gunzipSync(readFileSync(join(folder, "sub", old))).toString()).toBe("first line\n");
  expect(read(current)).toBe("second\n");
});

test("when time has come", async () => {
  const file = make({ maxBytes: 0, schedule: { everyMs: 1, minutes: [], daily: [] } });
  await file.open();
  await append(file, "first\n");
  await nextMs();
  await nextMs();
  await append(file, "second\n");
  await file.close();
  expect(names().some((name) => name.endsWith("-time.log"))).toBe(true);
});

test("two that write one file agree, and follow who renames it from outside", async () => {
  const [one, two] = [make(), make()];
  await one.open();
  await two.open();
  await append(one, "by one\n");
  await append(two, "by two\n");
  await append(one, "x\n");
  expect(read("access.log")).toBe("by two\nx\n");
  renameSync(join(folder, "sub/access.log"), join(folder, "sub/moved"));
  await append(two, "again\n");
  expect(read("access.log")).toBe("again\n");
  await one.close();
  await two.close();
});

test("no line is lost or cut while several append and roll", async () => {
  let locked = false;
  let now = 0;
  const counts = [0, 0];
  const counter = (index: number) => ({
    get value() {
      return counts[index] ?? 0;
    },
    add(amount: number) {
      counts[index] = (counts[index] ?? 0) + amount;
      return counts[index];
    },
  });
  const epoch = {
    get value() {
      return now;
    },
    add: (amount: number) => {
      now += amount;
      return now;
    },
  };
  const appending = makeAppendGate(epoch, [counter(0), counter(1)]);
  const exclusively = async (work: () => Promise<void>) => {
    if (!locked) {
      locked = true;
      await work().finally(() => {
        locked = false;
      });
    }
  };
  const files = [1, 2, 3].map(() =>
    make({ maxBytes: 2000, appending, exclusively }, { compression: "gzip", keep: 1000 }),
  );
  await Promise.all(files.map((file) => file.open()));
  await Promise.all(
    files.map(async (file, writer) => {
      for (let line = 0; line < 200; line++) {
        await append(file, `${writer}-${line} ${"x".repeat(60)}\n`);
      }
    }),
  );
  await Promise.all(files.map((file) => file.close()));
  const lines = names().flatMap((name) => {
    const bytes = readFileSync(join(folder, "sub", name));
    return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().trimEnd().split("\n");
  });
  expect(lines.every((line) => /^\d-\d+ x{60}$/.test(line))).toBe(true);
  expect(new Set(lines).size).toBe(600);
});

test.skipIf(process.platform !== "linux")("a place where no folder can be made is an error", async () => {
  await expect(make({ path: "/proc/nowhere/deep/x.log" }).open()).rejects.toThrow("ENOENT");
});

test("a file that stands where a folder should is an error", async () => {
  const file = make({ path: join(folder, "file") });
  await file.open();
  await file.close();
  await expect(make({ path: join(folder, "file/x.log") }).open()).rejects.toThrow("ENOTDIR");
});
