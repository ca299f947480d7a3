import { createLogger } from "lifecycle";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type FollowSettings, followLabels } from "./follow-labels.ts";
import { Generator } from "./generator.ts";
import { SampleEngine } from "./testing/sample-engine.ts";

const open: { close(): Promise<unknown> }[] = [];
const waits = { timeout: 60_000, interval: 10 };

afterEach(async () => {
  for (const one of open.splice(0).reverse()) {
    await one.close();
  }
});

async function openEngine(): Promise<SampleEngine> {
  const engine = new SampleEngine();
  open.push(engine);
  await engine.start();
  return engine;
}

/** A logger whose lines a test can read. */
function sampleLog() {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const errors = vi.spyOn(log, "error").mockReturnValue();
  return { log, lines: () => errors.mock.calls.map((call) => String(call[0])) };
}

/** An adapter that refuses a text with the word `bad`, and an empty text. */
async function adapt(text: string): Promise<Uint8Array> {
  if (text.trim() === "") {
    throw new Error("the file is empty");
  }
  if (text.includes("bad")) {
    throw new Error("bad is no directive");
  }
  return Buffer.from(JSON.stringify({ text }));
}

function site(name: string, directive = "respond hi") {
  const [word = "", ...rest] = directive.split(" ");
  return { name, labels: { caddy: `${name}.test`, [`caddy.${word}`]: rest.join(" ") } };
}

async function follow(engine: SampleEngine, changes: Partial<FollowSettings> = {}) {
  const { log, lines } = sampleLog();
  const loaded: string[] = [];
  const settings: FollowSettings = {
    ...{ engines: [engine.client], prefix: "caddy", ingressNetworks: [], file: "" },
    ...{ leavesOutFaults: true, readsStopped: false, pollingMs: 3_600_000, throttleMs: 5 },
    ...{ controllerNetwork: undefined, ownContainer: undefined, adapt, log },
    load: async (_json, text) => void loaded.push(text),
    send: async () => {},
    ...changes,
  };
  const stop = await followLabels(settings);
  open.push({ close: stop });
  return { loaded, lines };
}

describe("followLabels", () => {
  test("a container that comes and goes is a site that comes and goes", async () => {
    const engine = await openEngine();
    engine.containers = [site("a")];
    const { loaded } = await follow(engine);
    expect(loaded).toEqual(["a.test {\n\trespond hi\n}\n"]);
    await vi.waitFor(() => expect(engine.asked).toContain("/events"), waits);
    engine.containers = [site("b"), site("a")];
    engine.happen();
    await vi.waitFor(() => expect(loaded.length).toBe(2), waits);
    expect(loaded[1]).toBe("a.test {\n\trespond hi\n}\nb.test {\n\trespond hi\n}\n");
    // First an irrelevant event, then an event after which the text stays the same.
    engine.happen({ Type: "container", Action: "exec_start" });
    engine.happen({ Type: "network", Action: "connect" });
    engine.containers = [];
    engine.happen({ Type: "container", Action: "die" });
    await vi.waitFor(() => expect(loaded.at(-1)).toBe("# No container has labels.\n"), waits);
    expect(loaded.length).toBe(3);
  });

  test("an engine that is away leaves all sites as they are, and is followed when it is back", async () => {
    const engine = await openEngine();
    engine.containers = [site("a")];
    const { loaded, lines } = await follow(engine, { pollingMs: 20 });
    await engine.stop();
    await vi.waitFor(() => expect(lines().join()).toContain("does not answer"), waits);
    expect(loaded.length).toBe(1);
    engine.containers = [site("b")];
    await engine.start();
    await vi.waitFor(
      () => expect(loaded).toEqual([expect.any(String), "b.test {\n\trespond hi\n}\n"]),
      waits,
    );
  });

  test("an engine that never answered lets nothing be loaded: no sites would close those of others", async () => {
    const engine = await openEngine();
    await engine.stop();
    const other = await openEngine();
    other.containers = [site("a")];
    const { loaded, lines } = await follow(engine, { engines: [engine.client, other.client], pollingMs: 20 });
    await vi.waitFor(() => expect(lines().join()).toContain("nothing is changed"), waits);
    expect(loaded).toEqual([]);
    await engine.start();
    await vi.waitFor(() => expect(loaded.length).toBe(1), waits);
  });

  test("what cannot be loaded is tried again, and said once", async () => {
    const engine = await openEngine();
    engine.containers = [site("a")];
    let tries = 0;
    const load = async () => {
      tries++;
      if (tries < 4) {
        throw new Error("address in use");
      }
    };
    const { lines } = await follow(engine, { load, pollingMs: 5 });
    await vi.waitFor(() => expect(tries).toBe(4), waits);
    expect(lines()).toEqual(["labels cannot run, so what runs goes on: address in use"]);
  });

  /** Loads what has no site with a taken port, as a server does whose check opens no port. */
  function portsTaken() {
    const state = { taken: new Set<string>(), running: [] as string[][] };
    const load = async (_json: Uint8Array, text: string) => {
      const hosts = [...text.matchAll(/^(\S+)\.test/gm)].map(([, host = ""]) => host);
      const wrong = hosts.find((host) => state.taken.has(host));
      if (wrong !== undefined) {
        throw new Error(`listen ${wrong}: address in use`);
      }
      state.running.push(hosts);
    };
    return { state, load };
  }

  test("a port that one container's site cannot have holds up no other site's change", async () => {
    const engine = await openEngine();
    const { state, load } = portsTaken();
    engine.containers = [site("a"), site("b")];
    const { lines } = await follow(engine, { load, pollingMs: 5 });
    state.taken.add("c");
    engine.containers = [site("a"), site("c"), site("d"), site("e")];
    await vi.waitFor(() => expect(state.running.at(-1)).toEqual(["a", "d", "e"]), waits);
    expect(lines()).toEqual([
      "a site cannot run, so it is left out: listen c: address in use\nc.test {\n\trespond hi\n}\n",
    ]);
    // No site that runs and stays is closed meanwhile.
    expect(state.running.every((hosts) => hosts.includes("a"))).toBe(true);
    const count = state.running.length;
    engine.containers = [site("c"), site("d"), site("e")];
    await vi.waitFor(() => expect(state.running.at(-1)).toEqual(["d", "e"]), waits);
    expect(lines()).toHaveLength(1);
    expect(state.running.slice(count).every((hosts) => hosts.includes("d") && hosts.includes("e"))).toBe(
      true,
    );
    state.taken.clear();
    engine.containers = [site("c"), site("d")];
    await vi.waitFor(() => expect(state.running.at(-1)).toEqual(["c", "d"]), waits);
  });

  test("at the first load too, a taken port is one site's matter", async () => {
    const engine = await openEngine();
    const { state, load } = portsTaken();
    state.taken.add("b");
    engine.containers = [site("a"), site("b"), site("c")];
    const { lines } = await follow(engine, { load });
    expect(state.running.at(-1)).toEqual(["a", "c"]);
    expect(lines().join()).toContain("listen b: address in use");
  });

  test("what fails without a single cause is told as it is, and nothing is left out", async () => {
    const engine = await openEngine();
    engine.containers = [site("a"), site("b")];
    const load = async () => {
      throw new Error("too many open files");
    };
    const { lines } = await follow(engine, { load });
    expect(lines()).toEqual(["labels cannot run, so what runs goes on: too many open files"]);
  });

  test("a controller tells servers in its network, each until it has it", async () => {
    const engine = await openEngine();
    const server = (name: string, address: string) => ({
      ...{ name, labels: { caddy_controlled_server: "" }, networks: { web: address } },
    });
    engine.containers = [
      site("a"),
      server("s1", "10.0.1.1"),
      server("s2", "10.0.1.2"),
      server("s3", "10.9.9.9"),
    ];
    const sent: [string, unknown][] = [];
    let faults = 2;
    const { loaded } = await follow(engine, {
      load: undefined,
      controllerNetwork: { contains: (address: string) => address.startsWith("10.0.1.") } as never,
      pollingMs: 5,
      async send(address, json) {
        if (address === "10.0.1.2" && faults-- > 0) {
          throw new Error("connection refused");
        }
        sent.push([address, JSON.parse(Buffer.from(json).toString())]);
      },
    });
    await vi.waitFor(() => expect(sent.length).toBe(2), waits);
    const text = "a.test {\n\trespond hi\n}\n";
    expect(sent).toEqual([
      ["10.0.1.1", { text, admin: { listen: "tcp/10.0.1.1:2019" } }],
      ["10.0.1.2", { text, admin: { listen: "tcp/10.0.1.2:2019" } }],
    ]);
    expect(loaded).toEqual([]);
  });
});

describe("Generator", () => {
  async function generator(engine: SampleEngine, changes: object = {}) {
    const { log, lines } = sampleLog();
    let adapted = 0;
    const settings = {
      ...{ engines: [engine.client], prefix: "caddy", ingressNetworks: [], file: "" },
      ...{ leavesOutFaults: true, readsStopped: false, ownContainer: undefined, log },
      adapt: (text: string) => {
        adapted++;
        return adapt(text);
      },
      ...changes,
    };
    return { made: new Generator(settings), lines, count: () => adapted };
  }

  test("a wrong label, and a wrong site, cost their own container only", async () => {
    const engine = await openEngine();
    engine.containers = Array.from({ length: 1_500 }, (_, index) =>
      site(`s${index}`, index % 500 === 7 ? "bad x" : "respond hi"),
    );
    engine.containers.push({ name: "broken", labels: { caddy: "x.test", "caddy.respond": "{{ nothing }}" } });
    const { made, lines, count } = await generator(engine);
    const text = (await made.generate()) ?? "";
    expect(text.match(/\.test \{/g)?.length).toBe(1_497);
    expect(text).not.toContain("bad");
    expect(lines().filter((line) => line.startsWith("a site is left out: bad is no directive")).length).toBe(
      3,
    );
    expect(lines()).toContainEqual(
      expect.stringMatching(/^the labels of broken are left out: label caddy\.respond: .*"nothing"/),
    );
    // The search for the faulty site tries halves, not each site.
    expect(count()).toBeLessThan(100);
    const before = lines().length;
    await made.generate();
    expect(lines().length).toBe(before);
  });

  test("a site that can be adapted but would not run costs only itself", async () => {
    const engine = await openEngine();
    engine.containers = [site("a"), site("b", "tls /missing.pem"), site("c")];
    let checks = 0;
    const check = async (json: Uint8Array) => {
      checks++;
      if (Buffer.from(json).includes("/missing.pem")) {
        throw new Error("/missing.pem: ENOENT");
      }
    };
    const { made, lines } = await generator(engine, { check });
    const rest = "a.test {\n\trespond hi\n}\nc.test {\n\trespond hi\n}\n";
    expect(await made.generate()).toBe(rest);
    const known = checks;
    expect([await made.generate(), checks]).toEqual([rest, known]); // the same labels are not searched again at once
    expect(lines()).toEqual([expect.stringMatching(/^a site is left out: \/missing\.pem: ENOENT\nb\.test/)]);
    engine.containers = [site("a"), site("c")];
    await made.generate();
    expect(checks).toBe(known); // what passed is not checked again
  });

  test("where no site would run, what runs goes on", async () => {
    const engine = await openEngine();
    engine.containers = [site("a"), site("b"), site("c", "bad x")];
    const { made } = await generator(engine, {
      check: async () => {
        throw new Error("EMFILE: too many open files");
      },
    });
    await expect(made.generate()).rejects.toThrow("EMFILE");
  });

  test("where all sites are wrong, nothing is left", async () => {
    const engine = await openEngine();
    engine.containers = [site("a", "bad x"), site("b", "bad y")];
    const { made } = await generator(engine);
    expect(await made.generate()).toBe("# No container has labels.\n");
  });

  test("addresses are those of networks that this server reaches", async () => {
    const engine = await openEngine();
    const networks = { web: "10.0.0.2", other: "10.1.0.2" };
    const labels = { caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" };
    const text = async (changes: object, own: Record<string, string> = {}) => {
      engine.containers = [
        { name: "a", labels: { ...labels, ...own }, networks },
        { name: "me", labels: {}, networks: { other: "10.1.0.9" } },
      ];
      const { made, lines } = await generator(engine, changes);
      return `${/reverse_proxy ?(.*)/.exec((await made.generate()) ?? "")?.[1]}${lines().length > 0 ? " and a warning" : ""}`;
    };
    expect(await text({})).toBe("10.0.0.2:80 10.1.0.2:80");
    expect(await text({ ingressNetworks: ["web"] })).toBe("10.0.0.2:80");
    expect(await text({ ownContainer: "me" })).toBe("10.1.0.2:80");
    expect(await text({ ownContainer: "me" }, { caddy_ingress_network: "web" })).toBe("10.0.0.2:80");
    expect(await text({ ingressNetworks: ["none"] })).toBe(" and a warning");
    expect(await text({ prefix: "web" })).toBe("undefined");
  });

  test("an address of IPv6 only is in brackets", async () => {
    const engine = await openEngine();
    const { made } = await generator(engine);
    engine.containers = [
      { name: "a", labels: { caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" }, networks: {} },
    ];
    vi.spyOn(engine.client, "listContainers").mockResolvedValue([
      {
        ...{ Id: "a", Names: ["/a"], Labels: { caddy: "a.test", "caddy.reverse_proxy": "{{upstreams 80}}" } },
        NetworkSettings: { Networks: { web: { IPAddress: "", GlobalIPv6Address: "fd00::2" } } },
      },
    ]);
    expect(await made.generate()).toContain("reverse_proxy [fd00::2]:80");
  });
});
