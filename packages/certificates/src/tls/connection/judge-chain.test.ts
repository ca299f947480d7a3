import { createPublicKey, type X509Certificate } from "node:crypto";
import type { SecureContext } from "node:tls";
import { beforeAll, expect, test } from "vitest";
import { keyToPem, makeKey } from "../../material/key-pair.ts";
import { makeCertificate } from "../../material/x509.ts";
import { judgeChain, judgingContext } from "./judge-chain.ts";
import { subjectName } from "./subject-name.ts";

type KeyKind = Parameters<typeof makeKey>[0];
type Key = Awaited<ReturnType<typeof makeKey>>;

interface Made {
  readonly certificate: X509Certificate;
  readonly key: Key;
}

const day = 86_400_000;

async function make(
  commonName: string,
  {
    issuer,
    pathLength,
    kind = "p256",
    until = day,
  }: { issuer?: Made; pathLength?: number; kind?: KeyKind; until?: number } = {},
): Promise<Made> {
  const key = await makeKey(kind);
  const certificate = await makeCertificate({
    commonName,
    names: [],
    publicKey: createPublicKey(key),
    notBefore: new Date(Date.now() - 2 * day),
    notAfter: new Date(Date.now() + until),
    ...(pathLength !== undefined && { pathLength }),
    issuer: issuer?.certificate,
    issuerKey: issuer?.key ?? key,
  });
  return { certificate, key };
}

let root: Made;
let middle: Made;
let friend: Made;
const contexts = new Map<string, SecureContext>();

beforeAll(async () => {
  root = await make("root", { pathLength: 1 });
  middle = await make("middle", { issuer: root, pathLength: 0 });
  friend = await make("friend", { issuer: middle });
  for (const kind of ["p256", "p384", "rsa2048", "ed25519"] as const) {
    const server = await make("server", { kind });
    contexts.set(
      kind,
      judgingContext({
        cert: server.certificate.toString(),
        key: keyToPem(server.key),
        ca: [root.certificate.toString()],
      }),
    );
  }
});

interface Verifying {
  verifyError(): Error | null | undefined;
}

/** The library's verdict on a chain: "" for a good chain. */
async function verdict(chain: readonly Buffer[], kind = "p256"): Promise<string> {
  const problem = await judgeChain(
    chain,
    contexts.get(kind) as SecureContext,
    (socket) => (Reflect.get(socket, "_handle") as Verifying).verifyError()?.message,
  );
  return problem ?? "";
}

const chainOf = (...made: readonly Made[]) => made.map(({ certificate }) => certificate.raw);

test.each(["p256", "p384", "rsa2048", "ed25519"])("a server with a key of %s judges chains", async (kind) => {
  expect(await verdict(chainOf(friend, middle), kind)).toBe("");
  expect(await verdict(chainOf(friend), kind)).toContain("unable to");
});

test("refuses what the library refuses", async () => {
  const stranger = await make("stranger");
  const late = await make("late", { issuer: middle, until: -day });
  const below = await make("below", { issuer: middle, pathLength: 0 });
  const deep = await make("deep", { issuer: below });
  const byLeaf = await make("by a leaf", { issuer: friend });
  expect(await verdict(chainOf(stranger))).toContain("self-signed certificate");
  expect(await verdict(chainOf(late, middle))).toContain("expired");
  expect(await verdict(chainOf(deep, below, middle))).toContain("path length");
  expect(await verdict(chainOf(byLeaf, friend, middle))).toContain("certificate signing");
});

test("says of what is no certificate that it cannot be read", async () => {
  const unreadable = "the client's certificates cannot be read";
  for (const chain of [
    [Buffer.from("none")],
    [Buffer.alloc(0)],
    [...chainOf(friend), Buffer.from("none")],
    [],
  ]) {
    expect(await verdict(chain)).toBe(unreadable);
  }
});

test("a damaged chain is refused, and the process lives", async () => {
  const good = chainOf(friend, middle);
  for (let at = 0; at < (good[0] as Buffer).length; at += 3) {
    const chain = good.map((each) => Buffer.from(each));
    (chain[0] as Buffer)[at] = ((chain[0] as Buffer)[at] as number) ^ (1 << (at % 8));
    expect(await verdict(chain)).not.toBe("");
  }
});

test("finds the subject of a certificate", () => {
  const name = subjectName(middle.certificate.raw);
  expect(name.subarray(-6).toString("latin1")).toBe("middle");
  expect(friend.certificate.raw.includes(name)).toBe(true);
});
