import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { hasPebble, Pebble } from "certificates/testing/pebble";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("hi")));
});
afterAll(() => running.close());

const withIdentity = (identity: unknown) =>
  running.admin("POST", "/config/admin", { identity, remote: { listen: "127.0.0.1:0" } });

/** The certificate of the remote endpoint. @param trusted PEM; when absent, nothing is checked */
async function shown(servername?: string, trusted?: string): Promise<PeerCertificate> {
  const address = running.server.remoteAdminAddress;
  const port = address?.network === "tcp" ? address.port : 0;
  const socket = connect({
    host: "127.0.0.1",
    port,
    ...(servername === undefined ? {} : { servername }),
    ...(trusted === undefined ? { rejectUnauthorized: false } : { ca: trusted }),
  });
  await once(socket, "secureConnect");
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

test("certificates of the server's own authority are there when the load is acknowledged", async () => {
  const answer = await withIdentity({
    identifiers: ["Admin.internal", "127.0.0.1"],
    issuers: [{ module: "internal", lifetime: "1h" }],
  });
  expect(answer.status).toBe(200);
  const { text } = await running.admin("GET", "/pki/ca/local");
  const { root_certificate: root } = JSON.parse(text) as { root_certificate: string };
  expect((await shown("admin.internal", root)).subjectaltname).toBe("DNS:admin.internal");
  // A client that connects by address sends no name, so the server shows the certificate of the first identifier.
  expect((await shown()).subjectaltname).toBe("DNS:admin.internal");
  const folder = join(running.configFolder, "data/server/certificates/local");
  expect((await readdir(folder)).sort()).toEqual(["127.0.0.1", "admin.internal"]);
});

test("the certificate stays the same over changes, and another identifier gets its own at once", async () => {
  await withIdentity({ identifiers: ["one.internal"], issuers: [{ module: "internal" }] });
  const before = (await shown()).serialNumber;
  await running.admin("PATCH", "/config/apps/http/servers/s/routes/0/handle/0/body", '"other"');
  expect((await shown()).serialNumber).toBe(before);
  const address = running.server.remoteAdminAddress;
  expect((await running.admin("POST", "/config/admin/identity/identifiers", '"two.internal"')).status).toBe(
    200,
  );
  expect(running.server.remoteAdminAddress).toEqual(address);
  expect((await shown("two.internal")).subjectaltname).toBe("DNS:two.internal");
  expect((await shown("one.internal")).serialNumber).toBe(before);
  await running.admin("PATCH", "/config/admin/identity/identifiers", ["two.internal"]);
  expect((await shown("one.internal")).subjectaltname).toBe("DNS:two.internal");
});

test("without issuers a name of the local network gets one of the server's own", async () => {
  expect((await withIdentity({ identifiers: ["localhost"] })).status).toBe(200);
  expect((await shown("localhost")).subjectaltname).toBe("DNS:localhost");
});

describe("a config is refused, and the one before goes on,", () => {
  test.each<[string, unknown, string]>([
    [
      "with an unknown issuer",
      { identifiers: ["a.internal"], issuers: [{ module: "nope" }] },
      "tls.issuance.nope",
    ],
    [
      "with an authority that is not there",
      { identifiers: ["a.internal"], issuers: [{ module: "internal", ca: "nope" }] },
      "no certificate authority configured with id: nope",
    ],
    [
      "with a field of an issuer that there is not",
      { identifiers: ["a.internal"], issuers: [{ module: "internal", x: 1 }] },
      "/identity/issuers/0/x",
    ],
    ["with what is no name", { identifiers: ["a b"] }, "/config/admin/identity/identifiers/0"],
    ["without identifiers", { issuers: [{ module: "internal" }] }, "configure admin.identity"],
  ])("%s", async (_, identity, message) => {
    await withIdentity({ identifiers: ["kept.internal"] });
    const answer = await withIdentity(identity);
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
    expect((await shown()).subjectaltname).toBe("DNS:kept.internal");
  });
});

describe.skipIf(!hasPebble)("an authority that speaks ACME (pebble)", () => {
  test("is asked for the certificates of the identifiers", async () => {
    const folder = await mkdtemp(join(tmpdir(), "identity-"));
    const pebble = await Pebble.start(folder);
    try {
      const issuer = {
        module: "acme",
        ca: pebble.directory,
        email: "admin@example.test",
        trusted_roots_pem_files: [pebble.rootFile],
        challenges: {
          http: { alternate_port: pebble.httpPort },
          "tls-alpn": { disabled: true },
          bind_host: "127.0.0.1",
        },
      };
      expect((await withIdentity({ identifiers: ["admin.example.test"], issuers: [issuer] })).status).toBe(
        200,
      );
      // The start does not wait for authorities on other machines.
      await expect
        .poll(() => shown("admin.example.test").catch(() => undefined), { timeout: 60_000 })
        .toMatchObject({ subjectaltname: "DNS:admin.example.test" });
    } finally {
      await pebble.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
