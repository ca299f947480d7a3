import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { selfSigned } from "certificates/testing/self-signed";
import { ask } from "server-core/testing/ask";
import { describe, expect, onTestFinished, test } from "vitest";
import { RunningServer, respond } from "../../../../../admin-server/src/testing/running-server.ts";

const name = "proxy.internal";

/** Certificates that are due for renewal immediately: each is replaced at the next check. */
const hasty = {
  automation: {
    policies: [{ issuers: [{ module: "internal", lifetime: "1h" }], renewal_window_ratio: 0.999_999 }],
    renew_interval: "20ms",
  },
};
const steady = { automation: { policies: [{ issuers: [{ module: "internal" }] }] } };

/**
 * A proxy in front of an upstream that accepts only clients with a certificate of the server's internal authority, and
 * answers with the client's name.
 */
class Proxied {
  readonly running: RunningServer;
  readonly #port: number;

  private constructor(running: RunningServer, port: number) {
    this.running = running;
    this.#port = port;
  }

  static async start(workers = 0, requestCert = true): Promise<Proxied> {
    const first = { apps: { tls: { ...steady, certificates: { automate: ["first.internal"] } } } };
    const running = await RunningServer.start(first, {}, workers);
    onTestFinished(() => running.close());
    const { text } = await running.admin("GET", "/pki/ca/local");
    const { root_certificate: ca } = JSON.parse(text) as { root_certificate: string };
    const options = { ...(await selfSigned("127.0.0.1")), ca, requestCert, rejectUnauthorized: requestCert };
    const upstream = createServer(options, (request, response) => {
      const { serialNumber, subjectaltname } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(`${subjectaltname} ${serialNumber}`);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void upstream.close());
    await once(upstream, "listening");
    return new Proxied(running, (upstream.address() as AddressInfo).port);
  }

  /** @returns the reason for the refusal; "" when the config loads */
  async load(transportTls: object, tls: object = steady): Promise<string> {
    const proxy = {
      handler: "reverse_proxy",
      upstreams: [{ dial: `127.0.0.1:${this.#port}` }],
      transport: {
        protocol: "http",
        tls: { insecure_skip_verify: true, ...transportTls },
        // Each request uses a new connection.
        keep_alive: { enabled: false },
        versions: ["1.1"],
      },
    };
    const s = { listen: ["127.0.0.1:0"], routes: [{ handle: [proxy] }] };
    return (await this.running.admin("POST", "/load", { apps: { tls, http: { servers: { s } } } })).error;
  }

  /** @returns names and serial number of the certificate that the upstream saw */
  async shown(): Promise<[status: number, names: string, serial: string]> {
    const { status, text } = await ask(this.running.site);
    const [names = "", serial = ""] = text.split(" ");
    return [status, names, serial];
  }
}

describe("client_certificate_automate", () => {
  test.each([0, 1])(
    "shows the certificate, and its successor without a reload; workers: %i",
    async (workers) => {
      const proxied = await Proxied.start(workers);
      expect(await proxied.load({ client_certificate_automate: name.toUpperCase() }, hasty)).toBe("");
      const [status, names, first] = await proxied.shown();
      expect([status, names]).toEqual([200, `DNS:${name}`]);
      for (let serial = first; serial === first; ) {
        const [again, sameNames, next] = await proxied.shown();
        expect([again, sameNames]).toEqual([200, `DNS:${name}`]);
        serial = next;
      }
    },
  );

  test("goes on where another route changes", async () => {
    const proxied = await Proxied.start();
    await proxied.load({ client_certificate_automate: name });
    const before = await proxied.shown();
    const path = "/config/apps/http/servers/s/routes";
    expect((await proxied.running.admin("POST", path, respond("never"))).error).toBe("");
    expect(await proxied.shown()).toEqual(before);
    const { text } = await proxied.running.admin("GET", "/tls/certificates");
    expect(text).toContain(name);
  });

  test("is looked after no longer when no config uses it, unless a site has it", async () => {
    const proxied = await Proxied.start();
    const { running } = proxied;
    const automate = { ...steady, certificates: { automate: ["site.internal"] } };
    await proxied.load({ client_certificate_automate: "site.internal" }, automate);
    await proxied.load({ client_certificate_automate: name }, automate);
    const listed = async () => (await running.admin("GET", "/tls/certificates")).text;
    expect(await listed()).toContain(name);
    await proxied.load({}, automate);
    while ((await listed()).includes(name)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await listed()).toContain("site.internal");
  });

  test("goes before files, which must be good all the same", async () => {
    const proxied = await Proxied.start();
    const other = await selfSigned("127.0.0.1");
    const [file, keyFile] = ["other.crt", "other.key"].map((each) =>
      join(proxied.running.configFolder, each),
    );
    await writeFile(String(file), other.cert);
    await writeFile(String(keyFile), other.key);
    const files = { client_certificate_file: file, client_certificate_key_file: keyFile };
    await proxied.load(files);
    expect((await proxied.shown())[0]).toBe(502);
    await proxied.load({ ...files, client_certificate_automate: name });
    expect((await proxied.shown()).slice(0, 2)).toEqual([200, `DNS:${name}`]);
    const missing = { ...files, client_certificate_file: "/nowhere.crt" };
    expect(await proxied.load({ ...missing, client_certificate_automate: name })).toContain("/nowhere.crt");
  });

  test.each(["", "a.internal, b.internal"])("shows none for %j, which is no name", async (none) => {
    const asking = await Proxied.start();
    expect(await asking.load({ client_certificate_automate: none })).toBe("");
    expect((await asking.shown())[0]).toBe(502);
    const indifferent = await Proxied.start(0, false);
    await indifferent.load({ client_certificate_automate: none });
    expect((await indifferent.shown())[0]).toBe(200);
  });
});
