import { createSocket } from "node:dgram";
import { type LookupAddress, Resolver } from "node:dns";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askNameServers } from "./ask-name-servers.ts";
import { NameLookups } from "./name-lookups.ts";

const of = (address: string): LookupAddress[] => [{ address, family: 4 }];
const never = () => new Promise<LookupAddress[]>(() => {});
const fails = (message: string) => async (): Promise<LookupAddress[]> => {
  throw new Error(message);
};
const notAsked = fails("asked without need");

describe("names", () => {
  test("are found by the system, equal ones once", async () => {
    const asked: string[] = [];
    const system = Promise.withResolvers<LookupAddress[]>();
    const names = new NameLookups(
      (hostname, family) => {
        asked.push(`${hostname} ${family}`);
        return system.promise;
      },
      notAsked,
      60_000,
    );
    const answers = [names.find("a.test", 0), names.find("a.test", 0), names.find("a.test", 4)];
    system.resolve(of("192.0.2.1"));
    expect(await Promise.all(answers)).toEqual([of("192.0.2.1"), of("192.0.2.1"), of("192.0.2.1")]);
    expect(asked).toEqual(["a.test 0", "a.test 4"]);
    await names.find("a.test", 0);
    expect(asked).toHaveLength(3);
  });

  test("that wait for the system are asked for elsewhere", async () => {
    const names = new NameLookups(never, async () => of("192.0.2.2"), 1);
    expect(await names.find("a.test", 0)).toEqual(of("192.0.2.2"));
  });

  test("that only the system knows are waited for", async () => {
    const system = Promise.withResolvers<LookupAddress[]>();
    const names = new NameLookups(
      () => system.promise,
      async () => {
        setImmediate(() => system.resolve(of("192.0.2.3")));
        throw new Error("unknown");
      },
      1,
    );
    expect(await names.find("printer.local", 0)).toEqual(of("192.0.2.3"));
  });

  test("that nobody knows have the error of the system", async () => {
    const system = Promise.withResolvers<LookupAddress[]>();
    const names = new NameLookups(
      () => system.promise,
      async () => {
        setImmediate(() => system.reject(new Error("of the system")));
        throw new Error("of the name server");
      },
      1,
    );
    await expect(names.find("a.test", 0)).rejects.toThrow("of the system");
    await expect(new NameLookups(fails("at once"), notAsked, 60_000).find("a.test", 0)).rejects.toThrow(
      "at once",
    );
  });

  test("are not given to a system that has enough to do", async () => {
    let waiting = 0;
    const names = new NameLookups(
      () => {
        waiting++;
        return never();
      },
      async (hostname) => of(hostname),
      1,
    );
    const found = await Promise.all(Array.from({ length: 50 }, (_, index) => names.find(`${index}`, 0)));
    expect(found).toEqual(Array.from({ length: 50 }, (_, index) => of(`${index}`)));
    expect(waiting).toBe(2);
  });

  test.each([
    ["ENOTFOUND", "192.0.2.5"],
    ["ETIMEOUT", undefined],
  ])("that a name server answers with %s, when the system has enough to do: %s", async (code, address) => {
    const names = new NameLookups(
      (hostname) => (hostname === "printer.local" ? Promise.resolve(of("192.0.2.5")) : never()),
      async (hostname) => {
        if (hostname === "printer.local") {
          throw Object.assign(new Error(code), { code });
        }
        return of("192.0.2.6");
      },
      1,
    );
    await Promise.all(["a.test", "b.test"].map((hostname) => names.find(hostname, 0)));
    const found = names.find("printer.local", 0).then(
      ([first]) => first?.address,
      () => undefined,
    );
    expect(await found).toBe(address);
  });

  test.each([
    [{ all: true, family: 0 }, [null, of("192.0.2.4")]],
    [{ all: false, family: 4 }, [null, "192.0.2.4", 4]],
    [{ family: "IPv4" as const }, [null, "192.0.2.4", 4]],
  ])("come in the shape that %j asks for", async (options, expected) => {
    const names = new NameLookups(async () => of("192.0.2.4"), notAsked, 60_000);
    const told = await new Promise((resolve) =>
      names.lookup("a.test", options, (...values) => resolve(values)),
    );
    expect(told).toEqual(expected);
  });
});

describe("without the system", () => {
  let folder = "";
  let port = 0;
  const asked: string[] = [];
  const server = createSocket("udp4");
  /** Answers 192.0.2.9 for `known.corp.test`, and that all other names do not exist. */
  const answer = (question: Buffer): Buffer => {
    const end = question.indexOf(0, 12) + 5;
    const labels: string[] = [];
    for (let at = 12; question[at]; at += (question[at] ?? 0) + 1) {
      labels.push(question.toString("latin1", at + 1, at + 1 + (question[at] ?? 0)));
    }
    const name = labels.join(".");
    const isA = question.readUInt16BE(end - 4) === 1;
    asked.push(`${name} ${isA ? "A" : "AAAA"}`);
    const head = Buffer.from(question.subarray(0, end));
    head.writeUInt16BE(0, 8);
    head.writeUInt16BE(0, 10);
    if (name !== "known.corp.test") {
      head.writeUInt16BE(0x8183, 2); // the code for "no such name"
      return head;
    }
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isA ? 1 : 0, 6);
    const record = Buffer.from("c00c00010001000000000004c0000209", "hex");
    return isA ? Buffer.concat([head, record]) : head;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "names-"));
    server.on("message", (question, { port: back, address }) => server.send(answer(question), back, address));
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    port = server.address().port;
    await writeFile(
      join(folder, "hosts"),
      "# comment\n192.0.2.7 listed.test Other # known.corp.test\n2001:db8::7 listed.test\nnonsense listed.test\n",
    );
    await writeFile(
      join(folder, "resolv.conf"),
      "nameserver 127.0.0.1\nsearch first.test corp.test\noptions ndots:2\n",
    );
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const find = (hostname: string, family: 0 | 4 | 6 = 0) => {
    asked.length = 0;
    const resolver = new Resolver({ timeout: 20_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    const files = { hosts: join(folder, "hosts"), resolvConf: join(folder, "resolv.conf") };
    return askNameServers(hostname, family, files, resolver);
  };

  test("a name may be in the list of hosts", async () => {
    const [four, six] = [
      { address: "192.0.2.7", family: 4 },
      { address: "2001:db8::7", family: 6 },
    ];
    expect(await find("Listed.test")).toEqual([four, six]);
    expect(await find("listed.test", 6)).toEqual([six]);
    expect(await find("other", 4)).toEqual([four]);
    expect(asked).toEqual([]);
  });

  test("name servers know others, short ones below the domains that are searched", async () => {
    const known = [{ address: "192.0.2.9", family: 4 }];
    expect(await find("known", 4)).toEqual(known);
    expect(asked).toEqual(["known.first.test A", "known.corp.test A"]);
    expect(await find("known.corp.test")).toEqual(known);
    expect(asked.toSorted()).toEqual(["known.corp.test A", "known.corp.test AAAA"]);
    expect(await find("known.corp.test.", 4)).toEqual(known);
  });

  test("a name that is nowhere has the error of the first question", async () => {
    await expect(find("nowhere", 4)).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(asked).toEqual(["nowhere.first.test A", "nowhere.corp.test A", "nowhere A"]);
    await expect(find("nowhere.", 4)).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(asked).toEqual(["nowhere A"]);
  });
});
