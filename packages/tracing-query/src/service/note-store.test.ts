import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSampleServer } from "../testing/sample-server.ts";
import { sampleTenants } from "../testing/sample-service.ts";
import { KeptFiles } from "./kept-files.ts";
import { openKeptStores } from "./kept-stores.ts";
import { NoteStore } from "./note-store.ts";
import { sampleStore } from "./sample-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "notes-"));
});
afterEach(() => rm(folder, { recursive: true }));

const note = (text: string, writtenUnixMs = 1) => ({ spanId: "", text, author: "", writtenUnixMs });

test("what is too much is refused and counted; a trace without notes any more makes room", async () => {
  const refused: string[] = [];
  const store = new NoteStore(new KeptFiles(folder, 1, (kind) => refused.push(kind)), {
    notes: 2,
    traces: 1,
  });
  const first = await store.add("a", "1", note("one"));
  const second = await store.add("a", "1", note("two", 2));
  await expect(store.add("a", "1", note("three"))).rejects.toThrow("there are 2 notes on this trace");
  await expect(store.add("a", "2", note("other"))).rejects.toThrow("there are 1 traces with notes");
  await expect(store.add("b", "1", note("other"))).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" });
  expect(refused).toEqual(["note", "note", "note"]);
  expect(await store.list("a", "1")).toEqual([first, second]);
  await store.remove("b", "1", first.id);
  await store.remove("a", "1", "../../views/x");
  await store.remove("a", "1", first.id);
  await store.remove("a", "1", second.id);
  await store.add("a", "2", note("other"));
  expect(await store.list("a", "1")).toEqual([]);
});

test("a file that is damaged hides no other", async () => {
  const { notes } = openKeptStores(folder);
  const kept = await notes.add("", "1", note("kept"));
  const [tenant = ""] = await readdir(folder);
  const [trace = ""] = await readdir(join(folder, tenant, "notes"));
  await writeFile(join(folder, tenant, "notes", trace, `${crypto.randomUUID()}.json`), '{"text":');
  expect(await openKeptStores(folder).notes.list("", "1")).toEqual([kept]);
});

test("over HTTP: ids of any length are one trace, tenants see their own, no folder is told", async () => {
  const server = await openSampleServer(await sampleStore([]), {
    ...openKeptStores(folder),
    tenants: sampleTenants("a", "b"),
  });
  const ask = async (path: string, body?: unknown, tenant = "a") => {
    const response = await fetch(`${server.base}/api/analysis/v1/${path}`, {
      headers: { "x-tenant": tenant, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as { id: string } };
  };
  try {
    const written = await ask("notes", { traceId: "AB", spanId: "2E", text: " waits here ", author: "Kim" });
    expect(written.json).toMatchObject({ spanId: "000000000000002e", text: "waits here", author: "Kim" });
    const list = () => ask(`notes?traceId=${"ab".padStart(32, "0")}`);
    expect((await list()).json).toEqual({ notes: [written.json] });
    expect((await ask("notes?traceId=ab", undefined, "b")).json).toEqual({ notes: [] });
    for (const body of [
      { traceId: "x", text: "x" },
      { traceId: "1", spanId: "0", text: "x" },
      { traceId: "1" },
    ]) {
      expect((await ask("notes", body)).status).toBe(400);
    }
    await ask("notes/remove", { traceId: "ab", id: written.json.id });
    expect((await list()).json).toEqual({ notes: [] });
  } finally {
    await server.stop(AbortSignal.abort());
  }
});
