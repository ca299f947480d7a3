import { afterEach, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";
import type { CertificateStates } from "./certificate-state.ts";

let running: RunningServer;
afterEach(() => running.close());

async function states(): Promise<CertificateStates> {
  return JSON.parse((await running.admin("GET", "/tls/certificates")).text) as CertificateStates;
}

test("without a config there are none", async () => {
  running = await RunningServer.start(null);
  expect(await states()).toEqual({ certificates: [], pending: [] });
});

test("a certificate of the server's own authority: whose, how long, when it is renewed; nothing of its key", async () => {
  running = await RunningServer.start({
    apps: {
      pki: { certificate_authorities: { local: { install_trust: false } } },
      tls: { certificates: { automate: ["site.localhost"] } },
    },
  });
  const { certificates, pending } = await states();
  expect(pending).toEqual([]);
  expect(certificates).toEqual([
    expect.objectContaining({ names: ["site.localhost"], managed: true, key_type: "ec", tags: ["managed"] }),
  ]);
  const [certificate] = certificates;
  const times = [certificate?.not_before, certificate?.renew_at, certificate?.not_after].map(String);
  expect(times.toSorted()).toEqual(times);
  expect(certificate?.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(certificate?.issuer).toMatch(/Intermediate/);
  expect(JSON.stringify(certificate)).not.toContain("PRIVATE");
});

test("a part of the list, with the number of all and of those that end soon", async () => {
  const names = Array.from({ length: 101 }, (_, index) => `s${index}.localhost`);
  running = await RunningServer.start({
    apps: {
      pki: { certificate_authorities: { local: { install_trust: false } } },
      tls: { certificates: { automate: names } },
    },
  });
  const ask = async (query: string) => {
    const { text, headers } = await running.admin("GET", `/tls/certificates?${query}`);
    const { certificates } = JSON.parse(text) as CertificateStates;
    return { found: certificates.flatMap((certificate) => certificate.names), headers };
  };
  const first = await ask("limit=100");
  expect(first.found).toHaveLength(100);
  expect(first.headers).toMatchObject({
    "x-total-count": "101",
    "x-pending-count": "0",
    "x-failing-count": "0",
    "x-ends-within-days": "0=0, 7=101, 30=101, 90=101",
  });
  const rest = await ask("limit=100&offset=100");
  expect([...first.found, ...rest.found].toSorted()).toEqual(names.toSorted());
  expect((await ask("contains=S77.")).found).toEqual(["s77.localhost"]);
});

test("a name for which nobody issues is told with the reason", async () => {
  const issuer = { module: "acme", ca: "http://127.0.0.1:9/dir", email: "" };
  running = await RunningServer.start({
    apps: {
      tls: {
        certificates: { automate: ["site.example.com"] },
        automation: { policies: [{ subjects: ["site.example.com"], issuers: [issuer] }] },
      },
    },
  });
  await expect
    .poll(async () => (await states()).pending, { timeout: 60_000 })
    .toEqual([{ name: "site.example.com", failures: 1, error: expect.stringMatching(/./) }]);
});
