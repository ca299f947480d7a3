import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CertificateCache } from "../tls/certificates/certificate-cache.ts";
import { keyToPem, makeKey } from "./key-pair.ts";
import { dateFault, describeCertificate, loadCertificate } from "./loaded-certificate.ts";
import { certificatesToPem } from "./pem.ts";
import { makeCertificate } from "./x509.ts";

const dayMs = 86_400_000;

async function pem(key: KeyObject, names: string[], fromDays = -1, toDays = 1): Promise<string> {
  const certificate = await makeCertificate({
    commonName: names[0] ?? "nobody",
    names,
    publicKey: createPublicKey(key),
    notBefore: new Date(Date.now() + fromDays * dayMs),
    notAfter: new Date(Date.now() + toDays * dayMs),
    issuerKey: key,
  });
  return certificatesToPem([certificate]);
}

describe("what cannot be used is refused, naming subject and file, and never the key", () => {
  test("a key that is too weak", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const chain = await pem(privateKey, ["weak.example"]);
    expect(() => loadCertificate(chain, privateKey, "/etc/weak.crt")).toThrow(
      /^\/etc\/weak\.crt: certificate weak\.example: .*ee key too small/,
    );
  });

  test("the key of another one", async () => {
    const [key, other] = [await makeKey("p256"), await makeKey("p256")];
    const chain = await pem(key, ["a.example"]);
    expect(() => loadCertificate(chain, keyToPem(other), "/etc/a.crt")).toThrow(
      "/etc/a.crt: certificate a.example: the key is another one's",
    );
  });

  test("what is no key", async () => {
    const key = await makeKey("p256");
    const text = keyToPem(key).replace(/\n.{20}/, "\n####################");
    const secret = text.split("\n")[1]?.slice(20, 50) ?? "";
    const chain = await pem(key, ["a.example"]);
    try {
      loadCertificate(chain, text, "/etc/a.key");
      expect.unreachable();
    } catch (error) {
      expect(String(error)).toContain("/etc/a.key: not a private key in PEM");
      expect(String(error)).not.toContain(secret);
    }
  });
});

test("one that is over, or not yet good, says so, and stands behind a good one", async () => {
  const key = await makeKey("p256");
  const load = async (from: number, to: number) =>
    loadCertificate(await pem(key, ["d.example"], from, to), key, "x");
  const [old, good, early] = [await load(-3, -1), await load(-2, 2), await load(1, 3)];
  expect(dateFault(old.leaf)).toMatch(/^expired on \d{4}-/);
  expect(dateFault(early.leaf)).toMatch(/^not valid before \d{4}-/);
  expect([dateFault(good.leaf), describeCertificate(good.leaf)]).toEqual([undefined, "d.example"]);
  const cache = new CertificateCache();
  for (const each of [good, old, early]) {
    cache.add(each);
  }
  expect(cache.find("d.example")).toEqual([good]);
  cache.remove(good);
  expect(cache.find("d.example")).toHaveLength(1);
  expect([cache.find("other.example"), cache.find("x".repeat(300))]).toEqual([[], []]);
});
