import { afterEach, beforeEach, expect, test } from "vitest";
import { StandInServer } from "../../../testing/cluster/stand-in-cluster.ts";
import { compareDerived } from "./compare-derived.ts";

const shards = [["a", "b"], ["c"]];
const key = "cityHash64(trace_id) % 2";
const servers = [
  new StandInServer("a", "s1", shards, key),
  new StandInServer("b", "s1", shards, key),
  new StandInServer("c", "s2", shards, key),
] as const;
let urls: string[];

beforeEach(async () => {
  urls = await Promise.all(servers.map((server) => server.listen()));
});
afterEach(() => Promise.all(servers.map((server) => server.close())));

test("compares at one server of each shard, and is no good news while a shard has none", async () => {
  const cluster = { name: "main", isReplicated: true, onCluster: false, insertQuorum: 0 } as const;
  const compare = () => compareDerived({ urls, cluster }, { days: "all", repair: false });
  const [first, , alone] = servers;
  first.isAway = true;
  await expect(compare()).resolves.toEqual({ days: 0, spans: 0, differences: [] });
  alone.isAway = true;
  await expect(compare()).rejects.toThrow("servers of 1 of 2 shards answer, so nothing was compared; away: ");
});
