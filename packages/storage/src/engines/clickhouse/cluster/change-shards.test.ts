import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StandInServer } from "../../../testing/cluster/stand-in-cluster.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { changeShards } from "./change-shards.ts";

const cluster: ClusterSettings = { name: "main", isReplicated: true, onCluster: false, insertQuorum: 0 };
const [one, two, three] = [["a", "b"], ["c"], ["d"]];
const before = [one, two];
const after = [one, two, three];
/** Day number 20,000 since 1970 is today for the test servers. */
const key = {
  before: "cityHash64(trace_id) % 2",
  from: (day: string) => `cityHash64(trace_id) % if(received < toDate('${day}'), 2, 3)`,
  after: "cityHash64(trace_id) % 3",
};

let servers: StandInServer[];
let urls: string[];

/** Four servers. The last one is new and is already configured; the others do not know it yet. */
beforeEach(async () => {
  servers = [
    new StandInServer("a", "s1", before, key.before),
    new StandInServer("b", "s1", before, key.before),
    new StandInServer("c", "s2", before, key.before),
    new StandInServer("d", "s3", after, undefined),
  ];
  urls = await Promise.all(servers.map((server) => server.listen()));
});
afterEach(() => Promise.all(servers.map((server) => server.close())));

const add = (listed: readonly string[] = urls) => changeShards({ urls: listed, cluster }, "add");
const remove = () => changeShards({ urls, cluster }, "remove");
const keys = () => servers.map(({ engine }) => /spans_local', (.*)\)$/.exec(engine)?.[1]);
const all = (value: string) => servers.map(() => value);
const configure = () => {
  for (const server of servers) {
    server.shards = after;
  }
};
const wait = (hours: number) => {
  for (const server of servers) {
    server.hours += hours;
  }
};

describe("a shard is added", () => {
  test("in four steps, none of which moves a block that may be sent again", async () => {
    const made = await add();
    expect(keys()).toEqual(all(key.before));
    expect(made.next).toContain(`remote_servers of ${urls.slice(0, 3).join("/, ")}/`);

    configure();
    const scheduled = await add();
    expect(keys()).toEqual(all(key.from("2024-10-05")));
    expect(scheduled.done).toEqual([
      "on all 4 servers: spans received before 2024-10-05 (UTC) are spread over 2, those from then on over 3",
    ]);

    wait(7 * 24);
    expect((await add()).next).toContain("nothing until 2024-10-12");
    expect(keys()).toEqual(all(key.from("2024-10-05")));

    wait(24);
    expect((await add()).next).toBeUndefined();
    expect(keys()).toEqual(all(key.after));
    expect((await add()).done).toEqual(["spans are spread over all 3 shards that the servers know of"]);
  });

  test("from the day after tomorrow where tomorrow begins within the hour", async () => {
    configure();
    wait(14);
    await add();
    expect(keys()).toEqual(all(key.from("2024-10-06")));
  });

  test("goes on where it was cut short: a server that missed a change gets it", async () => {
    configure();
    await add();
    const [, , third] = servers;
    if (third !== undefined) {
      third.engine = third.engine.replace(key.from("2024-10-05"), key.before);
    }
    expect((await add()).next).toContain("nothing until 2024-10-12");
    expect(keys()).toEqual(all(key.from("2024-10-05")));
  });

  test("also where a busy server takes longer to answer than processes wait for it", async () => {
    for (const server of servers.slice(0, 1)) {
      server.late = { looks: 1, ms: 3_500 };
    }
    expect((await add()).done).toEqual(["all 4 servers have the tables; the new shard gets no spans yet"]);
  });

  test.each<[string, () => readonly string[], string]>([
    [
      "a server is away",
      () => {
        for (const server of servers.slice(1, 2)) {
          server.isAway = true;
        }
        return urls;
      },
      "all servers must be there",
    ],
    [
      "the new shard stands before the others",
      () => {
        for (const server of servers) {
          server.shards = [three, one, two];
        }
        for (const server of servers.slice(0, 1)) {
          server.shards = before;
        }
        return urls;
      },
      "a shard is added at the end",
    ],
    [
      "a replica is left out",
      () => {
        configure();
        return urls.filter((_url, index) => index !== 1);
      },
      "list them all",
    ],
    [
      "macros and configuration contradict each other",
      () => {
        for (const server of servers) {
          server.shards = [["a", "c"], ["b"], three];
        }
        return urls;
      },
      'have the macro shard "s1", but stand in shards',
    ],
  ])("not when %s: nothing is changed then", async (_name, prepare, text) => {
    const listed = prepare();
    await expect(add(listed)).rejects.toThrow(text);
    expect(servers.flatMap(({ statements }) => statements)).toEqual([]);
  });
});

describe("the last shard is removed", () => {
  test("when its spans are gone, and not in the middle of the other change", async () => {
    configure();
    await add();
    await expect(remove()).rejects.toThrow("the other way");
    wait(8 * 24);
    await add();

    await remove();
    expect(keys()).toEqual(all("cityHash64(trace_id) % if(received < toDate('2024-10-13'), 3, 2)"));
    wait(8 * 24);
    for (const server of servers) {
      server.spansLeft = 7;
    }
    expect(await remove()).toMatchObject({
      next: expect.stringContaining("until retention has dropped them"),
    });
    expect(keys()).toEqual(all(key.before));
    for (const server of servers) {
      server.spansLeft = 0;
    }
    expect(await remove()).toMatchObject({ next: expect.stringContaining("then stop them") });
  });
});
