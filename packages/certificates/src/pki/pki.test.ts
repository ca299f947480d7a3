import { X509Certificate } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const stored = (path: string) => join(running.configFolder, "data/server/pki/authorities", path);

describe("the authority local", () => {
  test("is made when it is asked for, and stays", async () => {
    const answer = await running.admin("GET", "/pki/ca/local");
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
    const info = JSON.parse(answer.text);
    const year = new Date().getFullYear();
    expect(info).toEqual({
      id: "local",
      name: "Local Authority",
      root_common_name: `Local Authority - ${year} ECC Root`,
      intermediate_common_name: "Local Authority - ECC Intermediate",
      root_certificate: expect.stringContaining("BEGIN CERTIFICATE"),
      intermediate_certificate: expect.stringContaining("BEGIN CERTIFICATE"),
    });
    await running.server.engine.load(Buffer.from(JSON.stringify({ apps: { pki: {} } })));
    expect(JSON.parse((await running.admin("GET", "/pki/ca/local")).text)).toEqual(info);
    const root = new X509Certificate(info.root_certificate);
    const intermediate = new X509Certificate(info.intermediate_certificate);
    expect(root.verify(root.publicKey) && intermediate.verify(root.publicKey)).toBe(true);
    expect(intermediate.checkIssued(root)).toBe(true);
    expect([root.ca, intermediate.ca]).toEqual([true, true]);
    expect(root.validToDate.getTime() - root.validFromDate.getTime()).toBe(3600 * 86_400_000);
    for (const name of ["root.key", "intermediate.key", "root.crt"]) {
      expect(((await stat(stored(`local/${name}`))).mode & 0o777).toString(8)).toBe("600");
    }
  });

  test("tells its chain", async () => {
    const answer = await running.admin("GET", "/pki/ca/local/certificates");
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      200,
      "application/pem-certificate-chain",
    ]);
    const info = JSON.parse((await running.admin("GET", "/pki/ca/local")).text);
    expect(answer.text).toBe(info.intermediate_certificate + info.root_certificate);
  });
});

test.each([
  ["GET", "/pki/ca/other", 404, "no certificate authority configured with id: other"],
  ["GET", "/pki/ca/", 404, "resource not found: /pki/ca/"],
  ["GET", "/pki/x", 404, "resource not found: /pki/x"],
  ["GET", "/pki/ca/local/x", 404, "resource not found: /pki/ca/local/x"],
  ["POST", "/pki/ca/local", 405, "method not allowed: POST"],
])("%s %s: %d", async (method, path, status, error) => {
  const answer = await running.admin(method, path, method === "POST" ? {} : undefined);
  expect([answer.status, answer.error]).toEqual([status, error]);
});

test("authorities of the config have names and files of their own", async () => {
  const load = (authority: object) =>
    running.admin("POST", "/load", {
      apps: { pki: { certificate_authorities: { x: authority } } },
    });
  expect((await load({ name: "X", root_common_name: "{pki.ca.name} Root" })).error).toBe("");
  const info = JSON.parse((await running.admin("GET", "/pki/ca/x")).text);
  expect([info.name, info.root_common_name]).toEqual(["X", "X Root"]);
  const files = { certificate: stored("x/root.crt"), private_key: stored("x/root.key") };
  expect((await load({ root: files })).error).toBe("");
  const wrong = { certificate: files.certificate, private_key: stored("x/intermediate.key") };
  expect((await load({ root: wrong })).error).toContain(
    `certificate authority x: ${wrong.private_key}: not the key of ${files.certificate}`,
  );
  const broken = join(running.configFolder, "broken.crt");
  await writeFile(broken, "nothing");
  expect((await load({ root: { ...files, certificate: broken } })).error).toContain(
    `${broken}: no certificate in PEM`,
  );
  expect((await load({ root: { ...files, certificate: "/nowhere.crt" } })).error).toContain(
    "/nowhere.crt: ENOENT",
  );
  expect((await load({ intermediate_lifetime: "9999d" })).status).toBe(200); // there is an intermediate already
});

test("a root whose key is elsewhere serves beside an intermediate of the config, and signs nothing", async () => {
  const authority = async (config: object, ca: string, more: object = {}) =>
    running.admin("POST", "/load", {
      apps: {
        pki: { certificate_authorities: { [ca]: { install_trust: false, ...config } } },
        tls: {
          certificates: { automate: ["offline.internal"] },
          automation: { policies: [{ issuers: [{ module: "internal", ca, ...more }] }] },
        },
      },
    });
  expect((await authority({}, "kept")).error).toBe("");
  const root = { certificate: stored("kept/root.crt") };
  const intermediate = {
    certificate: stored("kept/intermediate.crt"),
    private_key: stored("kept/intermediate.key"),
  };
  expect((await authority({ root, intermediate }, "offline")).error).toBe("");
  const info = JSON.parse((await running.admin("GET", "/pki/ca/offline")).text);
  expect(info.root_certificate).toBe(await readFile(root.certificate, "utf8"));
  const chain = join(stored(""), "../../certificates/offline/offline.internal/offline.internal.crt");
  const leaf = new X509Certificate(await readFile(chain));
  expect(leaf.verify(new X509Certificate(await readFile(intermediate.certificate)).publicKey)).toBe(true);
  const missing = "the root has no private key here to sign with: set private_key";
  expect((await authority({ root }, "alone")).error).toContain(`certificate authority alone: ${missing}`);
  const { certificate } = intermediate;
  expect((await authority({ root, intermediate: { certificate } }, "offline")).error).toContain(
    "the intermediate has no private key here",
  );
});

test("an intermediate near its end is renewed under the same root", async () => {
  await rm(stored("short"), { recursive: true, force: true });
  const load = (ratio: number) =>
    running.admin("POST", "/load", {
      apps: { pki: { certificate_authorities: { short: { renewal_window_ratio: ratio } } } },
    });
  await load(0.2);
  const [root, before] = await Promise.all(
    ["root", "intermediate"].map((name) => readFile(stored(`short/${name}.crt`), "utf8")),
  );
  await load(1); // always near its end
  const after = await readFile(stored("short/intermediate.crt"), "utf8");
  expect(after).not.toBe(before);
  const renewedRoot = new X509Certificate(await readFile(stored("short/root.crt")));
  expect(new X509Certificate(after).verify(new X509Certificate(root ?? "").publicKey)).toBe(true);
  expect(renewedRoot.publicKey.equals(new X509Certificate(root ?? "").publicKey)).toBe(true);
});
