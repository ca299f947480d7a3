import { createPublicKey } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, type Logger } from "lifecycle";
import { ServerError } from "server-core/errors";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { certificatesToPem } from "../../material/pem.ts";
import { makeCertificate } from "../../material/x509.ts";
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

/** A CA that fails a number of times before it issues. */
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

function manage(
  issuer: CertificateIssuer | readonly CertificateIssuer[],
  onChange: () => void = () => {},
): CertificateManager {
  const manager = new CertificateManager({
    policyFor: () => ({
      issuers: [issuer].flat(),
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

/** Suggests that a certificate is renewed immediately. */
const suggestRenewal = async () => new Date(Date.now() - 1);

test("issuers know how many attempts failed since the last certificate", async () => {
  const issuer = authority(2, { suggestRenewal });
  const issue = vi.spyOn(issuer, "issue");
  const manager = manage(issuer);
  await manager.manage("a.example");
  await vi.waitFor(
    () => expect(manager.states()).toMatchObject([{ certificateId: expect.any(String), failures: 0 }]),
    { timeout: 60_000 },
  );
  // The successful attempt may end shortly after its certificate is available.
  await vi.waitFor(
    async () => {
      await manager.renewDue();
      expect(issue.mock.calls.map(([{ failures }]) => failures)).toEqual([0, 1, 2, 0]);
    },
    { timeout: 180_000 },
  );
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

describe("pauses", () => {
  const start = Date.now();
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: start });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("clients that wait for a name do not make it an attempt each", async () => {
    const away = authority(2);
    const manager = manage(away);
    await manager.manage("a.example", true);
    await Promise.all([manager.manage("a.example", true), manager.manage("a.example", true)]);
    expect([away.asked, lines]).toEqual([1, [expect.stringContaining("attempt 1, next in 0 s")]]);
  });

  /** Refuses the first attempts. Each error contains the time to wait. */
  function limited(key: string, ...pausesMs: number[]) {
    const issuer = authority(0, { key });
    const { issue } = issuer;
    const attempts: number[] = [];
    return Object.assign(issuer, {
      attempts,
      async issue(request: Parameters<CertificateIssuer["issue"]>[0]) {
        const pauseMs = pausesMs[attempts.length];
        attempts.push(Date.now() - start);
        if (pauseMs !== undefined) {
          throw new ServerError("ACME", "429 rateLimited", { retryAtMs: Date.now() + pauseMs });
        }
        return issue(request);
      },
    });
  }
  const hour = 3_600_000;

  /** Lets time pass until the next attempt, and waits for its end. */
  async function pass(manager: CertificateManager, ms: number): Promise<void> {
    vi.advanceTimersByTime(ms);
    await manager.manage("a.example", true);
  }

  test("an authority that says when to come again is left alone so long, with one line for each pause", async () => {
    const ca = limited("ca", hour, 2 * hour);
    const manager = manage(ca);
    await manager.manage("a.example");
    await pass(manager, hour - 1);
    await manager.manage("a.example");
    expect([ca.attempts, lines]).toEqual([
      [0],
      ["certificate for a.example: ca: 429 rateLimited; attempt 1, next in 3600 s"],
    ]);
    await pass(manager, 1);
    await pass(manager, 2 * hour);
    expect([ca.attempts, serialOf("a.example")]).toEqual([[0, hour, 3 * hour], expect.any(String)]);
    expect(lines).toHaveLength(2);
    expect(manager.states()).toMatchObject([{ failures: 0, lastError: undefined }]);
  });

  test("one that wants to be left alone keeps no other from being asked: the next one issues at once", async () => {
    const [first, second] = [limited("first", hour), limited("second")];
    await manage([first, second]).manage("a.example");
    expect([first.attempts, second.attempts, lines]).toEqual([[0], [0], []]);
    expect(serialOf("a.example")).toEqual(expect.any(String));
  });

  test("the pause of several is the shortest after which one of them may issue, and only that one is asked", async () => {
    const [first, second] = [limited("first", 3 * hour), limited("second", hour)];
    const manager = manage([first, second]);
    await manager.manage("a.example");
    await pass(manager, hour);
    expect([first.attempts, second.attempts]).toEqual([[0], [0, hour]]);
    expect(lines).toEqual([expect.stringMatching(/first: 429.*; second: 429.*next in 3600 s$/)]);
  });

  test("beside one that is only away, pauses are the usual ones, and who wants to be left alone is", async () => {
    const first = limited("first", hour);
    const away = authority(2, { key: "away" });
    const manager = manage([first, away]);
    await manager.manage("a.example");
    await pass(manager, 5);
    await pass(manager, 10);
    expect([first.attempts, away.asked, serialOf("a.example")]).toEqual([[0], 3, expect.any(String)]);
    expect(lines[1]).toMatch(
      /first: not asked before .*Z, as it wants; away: the directory is away; attempt 2/,
    );
  });
});
