import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { askTls } from "server-core/testing/ask-tls";
import { SingleThread } from "server-core/threads/thread-messages";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";
import { certificateTopics } from "../material/certificate-messages.ts";
import type { KeyType } from "../material/key-pair.ts";
import { type SelfSigned, selfSigned } from "../testing/self-signed.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function make(names: string[], days = 1, keyType: KeyType = "p256"): Promise<SelfSigned> {
  return await selfSigned(names[0] ?? "", { names, fromDays: -5, toDays: days, keyType });
}

async function save(name: string, made: SelfSigned): Promise<{ certificate: string; key: string }> {
  const folder = join(running.configFolder, "certificates");
  await mkdir(folder, { recursive: true });
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  await Promise.all([writeFile(certificate, made.cert), writeFile(key, made.key)]);
  return { certificate, key };
}

const load = (tls: object, policies: object[] = [{}], more: object = {}, ...routes: unknown[]) =>
  running.admin("POST", "/load", {
    apps: {
      tls,
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            tls_connection_policies: policies,
            automatic_https: { disable_redirects: true },
            routes: [...routes, respond("in")],
            ...more,
          },
        },
      },
    },
  });
const ask = (servername: string, more: object = {}) =>
  askTls(running.site, { servername, rejectUnauthorized: false, ...more });

test("threads are told of changed certificates once one of them reads any", async () => {
  const own = await RunningServer.start();
  const told = vi.spyOn(SingleThread.prototype, "askServing");
  onTestFinished(async () => {
    told.mockRestore();
    await own.close();
  });
  const serve = async (policies: object) => {
    const server = { listen: ["127.0.0.1:0"], ...policies, routes: [respond(JSON.stringify(policies))] };
    const answer = await own.admin("POST", "/load", { apps: { http: { servers: { s: server } } } });
    expect(answer.error).toBe("");
    // The message to the threads is sent in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const topics = told.mock.calls.map(([topic]) => topic);
    told.mockClear();
    return topics.includes(certificateTopics.changed);
  };
  expect(await serve({ strict_sni_host: true })).toBe(false);
  expect(await serve({ tls_connection_policies: [{}], automatic_https: { disable_redirects: true } })).toBe(
    true,
  );
  // Even without TLS, the threads must forget the earlier answers.
  expect(await serve({ strict_sni_host: false })).toBe(true);
});

describe("certificates from elsewhere", () => {
  test("are shown for their names, from files, folders, PEM and the storage", async () => {
    const folder = join(running.configFolder, "pems");
    await mkdir(join(folder, "deep"), { recursive: true });
    const inFolder = await make(["folder.example"]);
    await writeFile(join(folder, "deep/a.pem"), inFolder.cert + inFolder.key);
    const stored = await make(["stored.example"]);
    await mkdir(join(running.configFolder, "data/server/mine"), { recursive: true });
    await writeFile(join(running.configFolder, "data/server/mine/c.crt"), stored.cert);
    await writeFile(join(running.configFolder, "data/server/mine/c.key"), stored.key);
    const inline = await make(["*.pem.example"]);
    const answer = await load({
      certificates: {
        load_files: [await save("file", await make(["file.example"]))],
        load_folders: [folder],
        load_pem: [{ certificate: inline.cert, key: inline.key }],
        load_storage: { pairs: [{ certificate: "mine/c.crt", key: "mine/c.key" }] },
      },
    });
    expect(answer.error).toBe("");
    for (const [name, shown] of [
      ["file.example", "file.example"],
      ["folder.example", "folder.example"],
      ["stored.example", "stored.example"],
      ["x.pem.example", "*.pem.example"],
    ]) {
      expect((await ask(name ?? "")).certificate).toBe(`DNS:${shown}`);
    }
    await expect(ask("x.y.pem.example")).rejects.toThrow("alert internal error");
  });

  test("that cannot be used are refused, naming subject and file, and the old config goes on", async () => {
    const [a, b] = [await save("a", await make(["a.example"])), await save("b", await make(["b.example"]))];
    const files = async (pair: object) => (await load({ certificates: { load_files: [pair] } })).error;
    expect(await files({ certificate: a.certificate, key: b.key })).toContain(
      `${a.certificate}, ${b.key}: certificate a.example: the key is another one's`,
    );
    expect(await files({ certificate: "/nowhere.crt", key: a.key })).toContain("/nowhere.crt: ENOENT");
    expect(await files({ certificate: a.key, key: a.key })).toContain(
      `${a.key}, ${a.key}: no certificate in PEM`,
    );
    const error = await files({ certificate: a.certificate, key: a.certificate });
    expect(error).toContain("not a private key in PEM");
    expect(error).not.toContain("BEGIN");
    expect((await ask("file.example")).text).toBe("in");
  });

  test("that are over are shown where there is no better, with a line that names subject and file", async () => {
    const old = await save("old", await make(["old.example"], -1));
    const warn = vi.spyOn(running.server.services.log, "warn");
    onTestFinished(() => warn.mockRestore());
    expect((await load({ certificates: { load_files: [old] } })).error).toBe("");
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          new RegExp(`^${old.certificate}, ${old.key}: certificate old.example: expired on `),
        ),
      ],
    ]);
    expect((await ask("old.example")).certificate).toBe("DNS:old.example");
  });

  test("are chosen by tag, and the one that is good today goes before", async () => {
    const redMade = await make(["t.example"]);
    const [red, blue] = [await save("red", redMade), await save("blue", await make(["t.example"], 2))];
    const expired = await save("expired", await make(["e.example"], -1));
    const good = await save("good", await make(["e.example", "good.example"], 3));
    const policies = [
      { match: { remote_ip: { ranges: ["192.0.2.0/24"] } } },
      { match: { sni: ["t.example"] }, certificate_selection: { any_tag: ["red"] } },
      {},
    ];
    const loaded = await load(
      {
        certificates: { load_files: [{ ...red, tags: ["red"] }, { ...blue, tags: ["blue"] }, good, expired] },
      },
      policies,
    );
    expect(loaded.error).toBe("");
    expect((await ask("t.example")).serial).toBe(new X509Certificate(redMade.cert).serialNumber);
    expect((await ask("e.example")).certificate).toContain("good.example");
  });

  test("are chosen from all by tag for a name that no certificate has", async () => {
    const loaded = [await make(["one.example"]), await make(["two.example"])].map(({ cert, key }, index) => ({
      ...{ certificate: cert, key, tags: [`t${index}`] },
    }));
    const policies = [
      { match: { sni: ["other.example"] }, certificate_selection: { any_tag: ["t1"] } },
      { match: { sni: ["third.example"] }, certificate_selection: { any_tag: ["none"] } },
      {},
    ];
    expect((await load({ certificates: { load_pem: loaded } }, policies)).error).toBe("");
    expect((await ask("other.example")).certificate).toBe("DNS:two.example");
    await expect(ask("third.example")).rejects.toThrow("alert");
  });

  test("of two kinds of keys are shown to whom they suit", async () => {
    const both = await Promise.all([make(["k.example"], 1, "rsa2048"), make(["k.example"])]);
    await load({ certificates: { load_pem: both.map(({ cert, key }) => ({ certificate: cert, key })) } });
    const kind = async (sigalgs: string) =>
      (await ask("k.example", { sigalgs, maxVersion: "TLSv1.3" })).status;
    expect(await kind("rsa_pss_rsae_sha256")).toBe(200);
    expect(await kind("ecdsa_secp256r1_sha256")).toBe(200);
  });
});

describe("connection policies", () => {
  test("refuse, drop, and set versions and names", async () => {
    const pair = await save("p", await make(["p.example", "old.example"]));
    const policies = [
      { match: { sni: ["drop.example"] }, drop: true },
      { match: { sni: ["old.example"] }, protocol_max: "tls1.2" },
      { match: { not: [{ sni: ["nobody.example"] }] }, fallback_sni: "p.example", default_sni: "p.example" },
    ];
    expect((await load({ certificates: { load_files: [pair] } }, policies)).error).toBe("");
    expect((await ask("old.example")).protocol).toBe("TLSv1.2");
    expect((await ask("p.example")).protocol).toBe("TLSv1.3");
    expect((await ask("other.example")).status).toBe(200);
    expect((await askTls(running.site, { rejectUnauthorized: false, servername: "" })).status).toBe(200);
    await expect(ask("nobody.example")).rejects.toThrow("alert internal error");
    await expect(ask("drop.example")).rejects.toThrow();
  });

  test("ask clients for certificates, and the host must be the server that was named", async () => {
    const pair = await save("auth", await make(["auth.example", "open.example"]));
    const [client, stranger] = [await make(["client"]), await make(["stranger"])];
    const der = Buffer.from(client.cert.replace(/-----[^-]+-----|\s/g, ""), "base64").toString("base64");
    const policies = [
      { match: { sni: ["auth.example"] }, client_authentication: { trusted_leaf_certs: [der] } },
      {},
    ];
    expect((await load({ certificates: { load_files: [pair] } }, policies)).error).toBe("");
    expect((await ask("auth.example", client)).text).toBe("in");
    await expect(ask("auth.example")).rejects.toThrow();
    await expect(ask("auth.example", stranger)).rejects.toThrow();
    expect((await ask("open.example")).status).toBe(200);
    expect((await ask("open.example", { headers: { Host: "auth.example" } })).status).toBe(421);
  });

  test("trust authorities, the server's own too", async () => {
    const pair = await save("ca", await make(["ca.example"]));
    const client = await make(["client"]);
    const pool = { provider: "file", pem_files: [(await save("client", client)).certificate] };
    const auth = (ca: object) => [{ client_authentication: { ca, mode: "require_and_verify" } }];
    expect((await load({ certificates: { load_files: [pair] } }, auth(pool))).error).toBe("");
    expect((await ask("ca.example", client)).text).toBe("in");
    expect((await load({ certificates: { load_files: [pair] } }, auth({ provider: "pki_root" }))).error).toBe(
      "",
    );
    await expect(ask("ca.example", client)).rejects.toThrow();
  });
});

describe("automation", () => {
  test("obtains on demand what is permitted, and nothing else", async () => {
    const asked: string[] = [];
    const permission = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(request.url?.includes("good") ? 200 : 403).end();
    }).listen(0, "127.0.0.1");
    await once(permission, "listening");
    const endpoint = `http://127.0.0.1:${(permission.address() as AddressInfo).port}/ask`;
    const policies = [{ on_demand: true, issuers: [{ module: "internal" }] }];
    const automation = { policies, on_demand: { permission: { module: "http", endpoint } } };
    expect((await load({ automation })).error).toBe("");
    expect((await ask("good.example")).certificate).toBe("DNS:good.example");
    await expect(ask("bad.example")).rejects.toThrow("alert internal error");
    await expect(ask("good.example:8443")).rejects.toThrow("alert internal error");
    expect(asked).toEqual(["/ask?domain=good.example", "/ask?domain=bad.example"]);
    permission.close();
  });

  test.each([
    ["the own authority alone issues", { issuers: [{ module: "internal" }] }, "any.example"],
    ["the config lists the names", { subjects: ["one.localhost"] }, "one.localhost"],
  ])("needs nobody's permission on demand where %s", async (_, policy, name) => {
    expect((await load({ automation: { policies: [{ on_demand: true, ...policy }] } })).error).toBe("");
    expect((await ask(name)).certificate).toBe(`DNS:${name}`);
  });

  test.each([
    ["any name", {}],
    ["names with a star", { subjects: ["a.example", "*.example"] }],
    ["an authority outside beside the own", { issuers: [{ module: "internal" }, { module: "acme" }] }],
  ])("refuses %s on demand without permission", async (_, policy) => {
    const { error } = await load({ automation: { policies: [{ on_demand: true, ...policy }] } });
    expect(error).toContain("without a permission module");
  });

  test("keeps as many certificates on demand in memory as there is capacity, and finds the others again", async () => {
    const permission = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    await once(permission, "listening");
    const endpoint = `http://127.0.0.1:${(permission.address() as AddressInfo).port}/ask`;
    const policies = [{ on_demand: true, issuers: [{ module: "internal" }] }];
    const automation = { policies, on_demand: { permission: { module: "http", endpoint } } };
    expect((await load({ automation, cache: { capacity: 2 } })).error).toBe("");
    const serials: string[] = [];
    for (const name of ["one.example", "two.example", "three.example", "one.example"]) {
      serials.push((await ask(name)).serial);
    }
    // One certificate was removed to make room, and was read again from the storage.
    expect([new Set(serials).size, serials[3]]).toEqual([3, serials[0]]);
    permission.close();
  });

  test("tries the storage before it obtains anything, unless told not to", async () => {
    const automate = { certificates: { automate: ["s.internal"] } };
    const file = join(running.configFolder, "no-folder");
    await writeFile(file, "");
    const policies = [
      { storage: { module: "file_system", root: join(file, "x") }, issuers: [{ module: "internal" }] },
    ];
    expect((await load({ ...automate, automation: { policies } })).error).toContain(
      "the storage is no good for certificates",
    );
    expect((await load({ ...automate, automation: { policies }, disable_storage_check: true })).error).toBe(
      "",
    );
  });

  test("renews what comes to its end, without a reload", async () => {
    const policies = [
      {
        issuers: [{ module: "internal", lifetime: "1h" }],
        renewal_window_ratio: 0.999_999,
        subjects: ["r.localhost"],
      },
    ];
    const site = { match: [{ host: ["r.localhost"] }], ...(respond("r") as object) };
    await load({ automation: { policies, renew_interval: "20ms" } }, [{}], {}, site);
    const serial = async () => (await ask("r.localhost")).serial;
    const first = await serial();
    while ((await serial()) === first) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});

describe("names below a wildcard", () => {
  const internal = { automation: { policies: [{ issuers: [{ module: "internal" }] }] } };
  const host = (...names: string[]) => ({
    match: [{ host: names }],
    handle: [{ handler: "static_response" }],
  });
  const shownFor = async (name: string) => (await ask(name)).certificate;

  test("are served with its certificate, whatever the order", async () => {
    await load(internal, [{}], {}, host("b.wild.example", "c.wild.example"), host("*.wild.example"));
    expect(await shownFor("b.wild.example")).toBe("DNS:*.wild.example");
    expect(await shownFor("c.wild.example")).toBe("DNS:*.wild.example");
    expect(await shownFor("other.wild.example")).toBe("DNS:*.wild.example");
  });

  test("have their own where `automate` lists them, or two labels are left", async () => {
    const automate = { ...internal, certificates: { automate: ["own.deep.example"] } };
    await load(automate, [{}], {}, host("*.deep.example", "own.deep.example", "a.b.deep.example"));
    expect(await shownFor("own.deep.example")).toBe("DNS:own.deep.example");
    expect(await shownFor("a.b.deep.example")).toBe("DNS:a.b.deep.example");
  });
});

test("a client that connects while a config starts gets the certificate of the running one", async () => {
  const isObtaining = Promise.withResolvers<void>();
  const mayObtain = Promise.withResolvers<void>();
  const gate = createServer((_, response) => {
    isObtaining.resolve();
    void mayObtain.promise.then(() => response.end());
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  const wait = `fetch("http://127.0.0.1:${(gate.address() as AddressInfo).port}").then((answer) => answer.text())`;
  const exec = { handler: "exec", command: process.execPath, args: ["-e", wait], foreground: true };
  const site = (host: string, address = "127.0.0.1") => ({
    listen: [`${address}:0`],
    tls_connection_policies: [{}],
    automatic_https: { disable_redirects: true },
    routes: [{ match: [{ host: [host] }], ...(respond(host) as object) }],
  });
  const own = await RunningServer.start({ apps: { http: { servers: { z: site("old.localhost") } } } });
  onTestFinished(async () => {
    mayObtain.resolve();
    await own.close();
    gate.close();
  });
  const inline = await make(["loaded.example"]);
  const loaded = own.admin("POST", "/load", {
    apps: {
      tls: { certificates: { load_pem: [{ certificate: inline.cert, key: inline.key }] } },
      events: { subscriptions: [{ events: ["cert_obtaining"], handlers: [exec] }] },
      http: { servers: { a: site("new.localhost", "localhost"), z: site("old.localhost") } },
    },
  });
  await isObtaining.promise;
  const answer = await askTls(own.site, { servername: "old.localhost", rejectUnauthorized: false });
  expect(answer.text).toBe("old.localhost");
  const early = await askTls(own.site, { servername: "loaded.example", rejectUnauthorized: false });
  expect(early.certificate).toBe("DNS:loaded.example");
  mayObtain.resolve();
  expect((await loaded).error).toBe("");
});
