import { createPublicKey } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, type Logger } from "lifecycle";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { certificatesToPem } from "../../pki/pem.ts";
import { makeCertificate } from "../../pki/x509.ts";
import { CertificateCache } from "../certificates/certificate-cache.ts";
import type { CertificateIssuer } from "../issuers/issuer.ts";
import { FileSystemStorage } from "../storage/file-system.ts";
import { CertificateManager } from "./certificate-manager.ts";

const dayMs = 86_400_000;
let folder: string;
let lines: string[];
let log: Logger;
let cache: CertificateCache;
let managers: CertificateManager[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "manager-"));
  lines = [];
  log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  log.error = log.warn = (line: unknown) => void lines.push(String(line));
  cache = new CertificateCache();
  managers = [];
});
afterEach(async () => {
  for (const manager of managers) {
    manager.close();
  }
  await rm(folder, { recursive: true, force: true });
});

/** An authority that fails so often before it issues. */
function authority(
  failures = 0,
  more: Partial<CertificateIssuer> = {},
): CertificateIssuer & { asked: number } {
  const issuer = {
    key: "ca",
    local: true,
    asked: 0,
    async issue({ name, key }: Parameters<CertificateIssuer["issue"]>[0]) {
      issuer.asked++;
      if (issuer.asked <= failures) {
        throw new Error("the directory is away");
      }
      const certificate = await makeCertificate({
        commonName: "",
        names: [name],
        publicKey: createPublicKey(key),
        notBefore: new Date(Date.now() - dayMs),
        notAfter: new Date(Date.now() + 30 * dayMs),
        issuerKey: key,
      });
      return { chainPem: certificatesToPem([certificate]) };
    },
    ...more,
  };
  return issuer;
}

function manage(issuer: CertificateIssuer, onChange: () => void = () => {}): CertificateManager {
  const manager = new CertificateManager({
    policyFor: () => ({
      issuers: [issuer],
      storage: new FileSystemStorage(folder),
      keyType: "p256",
      renewalWindowRatio: 1 / 3,
      reuseKeys: false,
    }),
    cache,
    log,
    onChange,
    pausesMs: [5, 10],
  });
  managers.push(manager);
  return manager;
}

const serialOf = (name: string) => cache.find(name)[0]?.leaf.serialNumber;

test("an authority that is away is asked again, with one line for each attempt", async () => {
  const issuer = authority(3);
  const shown = Promise.withResolvers<void>();
  await manage(issuer, shown.resolve).manage("a.example");
  await shown.promise;
  expect([issuer.asked, serialOf("a.example")]).toEqual([4, expect.any(String)]);
  expect(lines).toEqual(
    [1, 2, 3].map(
      (attempt) => `certificate for a.example: ca: the directory is away; attempt ${attempt}, next in 0 s`,
    ),
  );
});

/** Says that a certificate is to be renewed at once. */
const suggestRenewal = async () => new Date(Date.now() - 1);

test("issuers know how many attempts failed since the last certificate", async () => {
  const issuer = authority(2, { suggestRenewal });
  const issue = vi.spyOn(issuer, "issue");
  const manager = manage(issuer);
  await manager.manage("a.example");
  await vi.waitFor(() =>
    expect(manager.states()).toMatchObject([{ certificateId: expect.any(String), failures: 0 }]),
  );
  await manager.renewDue();
  expect(issue.mock.calls.map(([{ failures }]) => failures)).toEqual([0, 1, 2, 0]);
});

test("what fails to be renewed stays shown", async () => {
  const manager = manage(authority());
  await manager.manage("a.example");
  const before = serialOf("a.example");
  const issuer = authority(1_000, { suggestRenewal });
  const failing = manage(issuer);
  await failing.manage("a.example");
  await failing.renewDue();
  expect([issuer.asked, serialOf("a.example")]).toEqual([1, before]);
});

test("authorities are asked now and then when to renew, and get their way", async () => {
  let suggestion: Date | undefined = new Date(Date.now() + 20 * dayMs);
  const suggestRenewal = vi.fn(async () => suggestion);
  const manager = manage(authority(0, { suggestRenewal }));
  await manager.manage("a.example");
  const first = serialOf("a.example");
  await manager.renewDue();
  await manager.renewDue();
  expect([suggestRenewal.mock.calls.length, serialOf("a.example")]).toEqual([1, first]);
  suggestion = new Date(Date.now() - 1);
  await manager.renewDue(Date.now() + 7 * 3_600_000);
  expect(suggestRenewal.mock.calls.length).toBe(2);
  expect(serialOf("a.example")).not.toBe(first);
});

test("one that cannot say when to renew costs a line, and renewal goes by age", async () => {
  const suggestRenewal = async () => {
    throw new Error("away");
  };
  const manager = manage(authority(0, { suggestRenewal }));
  await manager.manage("a.example");
  const first = serialOf("a.example");
  await manager.renewDue();
  expect([lines, serialOf("a.example")]).toEqual([
    ["certificate for a.example: asking when to renew: away"],
    first,
  ]);
});

test("a name that is forgotten is shown no more, and comes back from the storage", async () => {
  const issuer = authority();
  const manager = manage(issuer);
  await manager.manage("a.example");
  const before = serialOf("a.example");
  manager.forget("a.example");
  expect([manager.size, serialOf("a.example")]).toEqual([0, undefined]);
  await manager.manage("a.example");
  expect([issuer.asked, serialOf("a.example")]).toEqual([1, before]);
});
