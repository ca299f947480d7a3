import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PartialReasons } from "../../../api/partial-answer.ts";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import { sampleSpan } from "../../../contract/sample-spans.ts";
import { HalfRightServers } from "../../../testing/cluster/half-right-servers.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import type { ClickHouseStoreOptions } from "../clickhouse-store-options.ts";

vi.setConfig({ testTimeout: 30_000 });
const patient = { timeout: 60_000 };

let cluster: HalfRightServers;
const stores: TraceStore[] = [];
let hedges: string[];

const open = (more: Partial<ClickHouseStoreOptions> = {}): TraceStore => {
  const store = openClickHouseStore({
    urls: cluster.urls,
    cluster: { name: "main", isReplicated: true, onCluster: false, insertQuorum: 0 },
    onHedge: (kind, outcome) => hedges.push(`${kind} ${outcome}`),
    ...more,
  });
  stores.push(store);
  return store;
};
const shardTwo = {
  kind: "shard-away",
  name: "2",
  text: "no server of shard 2 of the cluster answers: c:9000, d:9000",
};

beforeEach(async () => {
  cluster = await HalfRightServers.open(4);
  hedges = [];
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  cluster.close();
});

/** Names of the services, and the reasons for missing rows. */
async function services(store: TraceStore): Promise<{ names: string[]; lacks: unknown }> {
  const reasons = new PartialReasons();
  const names = await store.reader.getServices({ onPartial: reasons.add });
  return { names, lacks: reasons.partial?.reasons };
}

describe("a cluster of which a shard is away", () => {
  test("answers from the others, says so, and is whole again when the shard is back", async () => {
    const store = open();
    await store.ready();
    expect(await services(store)).toEqual({ names: ["of-shard-1", "of-shard-2"], lacks: undefined });
    cluster.shardsAway.add(2);
    const partial = { names: ["of-shard-1"], lacks: [shardTwo] };
    // The first read detects the fault; the second already knows it.
    expect(await services(store)).toEqual(partial);
    expect(await services(store)).toEqual(partial);
    await store.ready();
    expect(store.trouble?.()).toEqual([shardTwo.text]);
    cluster.shardsAway.clear();
    await expect
      .poll(() => services(store), patient)
      .toEqual({
        names: ["of-shard-1", "of-shard-2"],
        lacks: undefined,
      });
    await store.ready();
    expect(store.trouble?.()).toEqual([]);
  });

  test("names both when another one goes away while one is", async () => {
    const store = open();
    await store.ready();
    cluster.shardsAway.add(2);
    await services(store);
    cluster.shardsAway.add(1);
    expect((await services(store)).lacks).toEqual([
      { kind: "shard-away", name: "1", text: "no server of shard 1 of the cluster answers: a:9000, b:9000" },
      shardTwo,
    ]);
  });

  test("fails a write, a read that cannot say so, and every read where that is wanted", async () => {
    const [store, strict] = [open(), open({ partialAnswers: "refuse" })];
    await Promise.all([store.ready(), strict.ready()]);
    cluster.shardsAway.add(2);
    const failure = { code: "STORAGE_UNAVAILABLE", message: shardTwo.text };
    await expect(store.reader.getServices()).rejects.toMatchObject(failure);
    const write = store.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken() });
    await expect(write).rejects.toMatchObject(failure);
    await expect(services(strict)).rejects.toMatchObject(failure);
    await expect(strict.ready()).rejects.toMatchObject(failure);
    await store.ready();
  });
});

test("a shard whose servers all hang is known by pings alone: a read that waits for it is run again", async () => {
  const store = open();
  await store.ready();
  await services(store);
  // A background task finds out to which shard each server belongs.
  await expect.poll(() => cluster.places, patient).toBe(4);
  for (const hung of cluster.hosts.slice(2)) {
    hung.state = "hung";
  }
  cluster.shardsHung.add(2);
  // No server ever reports that the shard is missing.
  expect(await services(store)).toEqual({ names: ["of-shard-1"], lacks: [shardTwo] });
  expect(store.trouble?.()).toContain(shardTwo.text);
});

describe("a cluster of which a server hangs", () => {
  test("is ready also at the start", async () => {
    for (const hung of cluster.hosts.slice(0, 3)) {
      hung.state = "hung";
    }
    await open().ready();
  });

  test("answers a read of it from another before the server is known to be away", async () => {
    const store = open();
    await store.ready();
    const [hung] = cluster.hosts;
    if (hung === undefined) {
      throw new Error("no host");
    }
    hung.state = "hung";
    // Each server is used once.
    for (let read = 0; read < cluster.hosts.length; read++) {
      expect((await services(store)).names).toEqual(["of-shard-1", "of-shard-2"]);
    }
    expect(hung.reads).toBeGreaterThan(0);
    expect(hedges).toContain("names won");
    await expect
      .poll(() => store.trouble?.() ?? [], patient)
      .toEqual([`1 of 4 servers of ClickHouse (${hung.url}) do not answer: the others do their work`]);
  });

  test("stores a block through another server, under the same token", async () => {
    const store = open();
    await store.ready();
    const write = () =>
      store.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken(), receivedUnixMs: 0 });
    const [hung] = cluster.hosts;
    if (hung === undefined) {
      throw new Error("no host");
    }
    hung.state = "hung";
    for (let block = 0; block < cluster.hosts.length; block++) {
      await write();
    }
    const [token = ""] = hung.tokens;
    expect(token).not.toBe("");
    expect(cluster.hosts.slice(1).flatMap(({ tokens }) => tokens)).toContain(token);
    // The first server may be slow because it waits for a replica, so each further server asks another replica. On a busy machine
    // the second server may be too slow as well.
    const further = cluster.hosts.slice(1).flatMap(({ replicas }) => replicas.get(token) ?? []);
    const first = (hung.replicas.get(token) ?? 0) + 1;
    expect(further.toSorted()).toEqual(further.map((_, index) => first + index));
  });
});

test("goes on without a server that refuses the password, also at the start", async () => {
  const [stranger] = cluster.hosts;
  if (stranger === undefined) {
    throw new Error("no host");
  }
  stranger.state = "stranger";
  const store = open();
  await store.ready();
  for (let read = 0; read < 8; read++) {
    expect((await services(store)).names).toEqual(["of-shard-1", "of-shard-2"]);
  }
  expect(store.trouble?.()).toEqual([
    `1 of 4 servers of ClickHouse (${stranger.url}) refuse our user or password: the others do their work`,
  ]);
});

test("reads no replica that is behind while another one is not", async () => {
  for (const host of cluster.hosts) {
    host.behind = 44;
  }
  const store = open();
  await store.ready();
  expect(await services(store)).toEqual({ names: ["of-shard-1", "of-shard-2"], lacks: undefined });
});

test("goes on without a server that lost its disk, and says what it needs", async () => {
  const [, emptied] = cluster.hosts;
  if (emptied === undefined) {
    throw new Error("four servers");
  }
  emptied.state = "emptied";
  const store = open();
  await store.ready();
  for (let read = 0; read < 8; read++) {
    expect((await services(store)).names).toEqual(["of-shard-1", "of-shard-2"]);
  }
  for (let block = 0; block < 4; block++) {
    const options = { deduplicationToken: newToken(), receivedUnixMs: 0 };
    await store.writer.writeSpans(rowsOf(sampleSpan()), options);
  }
  expect(emptied.reads).toBeGreaterThan(0);
  expect(store.trouble?.()).toEqual([expect.stringContaining("SYSTEM DROP REPLICA")]);
});

test("tells a table whose parts the Keeper does not know from a Keeper that is away", async () => {
  const [strange] = cluster.hosts;
  if (strange === undefined) {
    throw new Error("no host");
  }
  strange.stray = true;
  const store = open();
  await store.ready();
  expect(store.trouble?.()).toEqual([
    `1 of 4 servers of ClickHouse (${strange.url}) take no spans, as their parts are not those that the Keeper knows: force_restore_data, see docs/scale.md`,
  ]);
});

test("says that the Keeper is away, and reads go on", async () => {
  for (const host of cluster.hosts) {
    host.readOnly = true;
  }
  const store = open();
  await store.ready();
  expect(store.trouble?.()).toEqual([expect.stringContaining("NO_ZOOKEEPER")]);
  expect((await services(store)).lacks).toBeUndefined();
  const write = () =>
    store.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken(), receivedUnixMs: 0 });
  const failure = {
    code: "STORAGE_UNAVAILABLE",
    message: expect.stringContaining("the Keeper is away (NO_ZOOKEEPER)"),
  };
  // When the setting is known to be refused by every server, no server is sent it.
  const sent = () => cluster.hosts.flatMap(({ tokens }) => tokens).length;
  const sentByAWrite = async () => {
    const before = sent();
    await expect(write()).rejects.toMatchObject(failure);
    return sent() - before;
  };
  await expect.poll(sentByAWrite, patient).toBe(0);
  for (const host of cluster.hosts) {
    host.readOnly = false;
  }
  await expect.poll(() => write().then(() => "written", String), patient).toBe("written");
});
