import { createPublicKey, type KeyObject, type X509Certificate } from "node:crypto";
import type { Logger } from "lifecycle";
import { errorWithin, ServerError } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { keyFromPem, keyToPem, makeKey } from "../material/key-pair.ts";
import { certificatesToPem, parseCertificates } from "../material/pem.ts";
import { readPemFile } from "../material/read-file.ts";
import type { CertificatePlan } from "../material/x509.ts";

/** Loads the certificate library only when needed, because most starts make no certificate. */
async function makeCertificate(plan: CertificatePlan): Promise<X509Certificate> {
  const x509 = await import("../material/x509.ts");
  return x509.makeCertificate(plan);
}

const dayMs = 24 * 3_600_000;
/** Source: Caddy 2.11 */
const rootLifetimeMs = 3600 * dayMs;
/** Certificates start this many milliseconds in the past, because clocks of clients may be slightly slow. */
const backdateMs = 60_000;

/** A certificate and its key as PEM files named in the config. */
export interface KeyPairFiles {
  /**
   * Path of the certificate's file. The file may also contain the certificates of its issuers, after the certificate
   * itself.
   */
  readonly certificate: string;
  /**
   * File of the private key; undefined: the key is on another machine, and this CA cannot sign with the certificate.
   */
  readonly privateKey: string | undefined;
}

export interface AuthorityOptions {
  /** ID of the CA in configs, paths of the admin API, and keys of the storage: `local`. */
  readonly id: string;
  /** Name that is shown to people. */
  readonly name: string;
  /** Subject of a root that this server makes. */
  readonly rootCommonName: string;
  /** Subject of an intermediate that this server makes. */
  readonly intermediateCommonName: string;
  /** Lifetime of a new intermediate; 7 days unless configured. The intermediate must end before the root ends. */
  readonly intermediateLifetimeMs: number;
  /** A certificate is renewed when the rest of its lifetime is less than this fraction, 0 to 1. */
  readonly renewalWindowRatio: number;
  /** Files of the root; absent: this server makes the root and stores it. */
  readonly root?: KeyPairFiles | undefined;
  /**
   * Files of the intermediate; absent: this server makes the intermediate and stores it. An intermediate from files is
   * never renewed.
   */
  readonly intermediate?: KeyPairFiles | undefined;
}

/** A certificate, with its key if this server has it. */
interface Pair {
  /** The certificate, followed by its issuers without the root. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
  readonly key: KeyObject | undefined;
}

/** A certificate that can sign others, because its key is known. */
interface Signer extends Pair {
  /** The private key. */
  readonly key: KeyObject;
}

/** The content of a leaf certificate. */
export interface LeafRequest {
  /** DNS names and IP addresses of the certificate's SAN; its subject stays empty. */
  readonly names: readonly string[];
  /** The certificate's own key. */
  readonly publicKey: KeyObject;
  /** Counted from the start of validity. The certificate never outlives its signer. */
  readonly lifetimeMs: number;
  /** Start of validity, milliseconds since 1970; absent: now. */
  readonly notBeforeMs?: number;
  /** True: the root signs the certificate, not the intermediate. */
  readonly signWithRoot?: boolean;
}

async function readPair({ certificate, privateKey }: KeyPairFiles): Promise<Pair> {
  const chainPem = await readPemFile(certificate);
  if (privateKey !== undefined) {
    return toSigner(chainPem, certificate, await readPemFile(privateKey), privateKey);
  }
  const [first, ...others] = parseCertificates(chainPem, certificate);
  if (first === undefined) {
    throw new ServerError("CERTIFICATE", `${certificate}: no certificate in PEM`);
  }
  return { chain: [first, ...others], key: undefined };
}

/** @throws ServerError CERTIFICATE when the private key is missing */
function withKey({ chain, key }: Pair, what: string): Signer {
  if (key === undefined) {
    throw new ServerError("CERTIFICATE", `the ${what} has no private key here to sign with: set private_key`);
  }
  return { chain, key };
}

function toSigner(
  chainPem: string | Uint8Array,
  chainSource: string,
  keyPem: string | Uint8Array,
  keySource: string,
): Signer {
  const [first, ...others] = parseCertificates(chainPem, chainSource);
  const key = keyFromPem(keyPem, keySource);
  if (first?.checkPrivateKey(key) !== true) {
    throw new ServerError("CERTIFICATE", `${keySource}: not the key of ${chainSource}`);
  }
  return { chain: [first, ...others], key };
}

function needsRenewal(certificate: X509Certificate, ratio: number): boolean {
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  return Date.now() >= to - (to - from) * ratio;
}

/** The certificates that a CA signs with, and the storage of its own certificates. */
interface AuthorityParts {
  /** Stores the certificates and keys that this server made, under `pki/authorities/<id>`. */
  readonly storage: Storage;
  readonly log: Logger;
  /** The root. Without its key, the root cannot sign a new intermediate, so the intermediate must already exist. */
  readonly root: Pair;
  /** Signs leaf certificates, unless a request asks for a signature by the root. */
  readonly intermediate: Signer;
}

/** This server's own certificate authority: a root, and an intermediate that signs. */
export class CertificateAuthority {
  readonly options: AuthorityOptions;
  readonly #storage: Storage;
  readonly #log: Logger;
  #root: Pair;
  #intermediate: Signer;

  private constructor(options: AuthorityOptions, { storage, log, root, intermediate }: AuthorityParts) {
    this.options = options;
    this.#storage = storage;
    this.#log = log;
    this.#root = root;
    this.#intermediate = intermediate;
  }

  /** Loads a CA, and makes its certificates if they are missing. @throws ServerError CERTIFICATE, STORAGE */
  static async open(options: AuthorityOptions, storage: Storage, log: Logger): Promise<CertificateAuthority> {
    const unlock = await storage.lock(`pki_${options.id}`);
    try {
      const root =
        options.root === undefined
          ? ((await loadSigner(storage, options.id, "root")) ?? (await makeRoot(options, storage, log)))
          : await readPair(options.root);
      const intermediate =
        options.intermediate === undefined
          ? ((await loadSigner(storage, options.id, "intermediate")) ??
            (await makeIntermediate(options, storage, withKey(root, "root"), log)))
          : withKey(await readPair(options.intermediate), "intermediate");
      const authority = new CertificateAuthority(options, { storage, log, root, intermediate });
      await authority.#renew();
      return authority;
    } catch (error) {
      throw errorWithin(`certificate authority ${options.id}`, error);
    } finally {
      await unlock();
    }
  }

  get root(): X509Certificate {
    return this.#root.chain[0];
  }

  /** The root certificate, PEM. */
  get rootPem(): string {
    return certificatesToPem([this.root]);
  }

  get intermediate(): X509Certificate {
    return this.#intermediate.chain[0];
  }

  /** PEM of the intermediate, and of certificates between the intermediate and the root. */
  get intermediatePem(): string {
    return certificatesToPem(this.#intermediate.chain);
  }

  /**
   * Issues a certificate, which never outlives its signer.
   * @returns PEM of the certificate and its chain, without the root
   * @throws ServerError CERTIFICATE
   */
  async issue(request: LeafRequest): Promise<string> {
    const signer = request.signWithRoot === true ? withKey(this.#root, "root") : this.#intermediate;
    const [issuer] = signer.chain;
    const now = Math.floor(Date.now() / 1000) * 1000;
    const leaf = await makeCertificate({
      commonName: "",
      names: request.names,
      publicKey: request.publicKey,
      notBefore: new Date(request.notBeforeMs ?? now - backdateMs),
      notAfter: new Date(
        Math.min((request.notBeforeMs ?? now) + request.lifetimeMs, issuer.validToDate.getTime()),
      ),
      issuer,
      issuerKey: signer.key,
    });
    return certificatesToPem(request.signWithRoot === true ? [leaf] : [leaf, ...signer.chain]);
  }

  /**
   * Renews the CA's own certificates before they expire, except certificates from files. @throws ServerError
   * CERTIFICATE, STORAGE
   */
  async maintain(): Promise<void> {
    const { renewalWindowRatio: ratio } = this.options;
    if (!needsRenewal(this.root, ratio) && !needsRenewal(this.intermediate, ratio)) {
      return;
    }
    const unlock = await this.#storage.lock(`pki_${this.options.id}`);
    try {
      await this.#renew();
    } finally {
      await unlock();
    }
  }

  /**
   * Renews root and intermediate if they are due. If another instance has already renewed and stored a certificate, the
   * stored certificate is used.
   */
  async #renew(): Promise<void> {
    const { options } = this;
    const { id, renewalWindowRatio: ratio } = options;
    if (options.root === undefined && needsRenewal(this.root, ratio)) {
      const stored = await loadSigner(this.#storage, id, "root");
      this.#root =
        stored !== undefined && !needsRenewal(stored.chain[0], ratio)
          ? stored
          : // The same key is used, so clients that trust the old root also trust certificates under the new root.
            await makeRoot(options, this.#storage, this.#log, this.#root.key);
    }
    if (options.intermediate === undefined && needsRenewal(this.intermediate, ratio)) {
      const stored = await loadSigner(this.#storage, id, "intermediate");
      this.#intermediate =
        stored !== undefined && !needsRenewal(stored.chain[0], ratio)
          ? stored
          : await makeIntermediate(options, this.#storage, withKey(this.#root, "root"), this.#log);
    }
  }
}

function storageKeys(id: string, part: "root" | "intermediate"): { crt: string; key: string } {
  const base = `pki/authorities/${id.toLowerCase().replace(/[^\w.@-]/g, "_")}/${part}`;
  return { crt: `${base}.crt`, key: `${base}.key` };
}

async function loadSigner(
  storage: Storage,
  id: string,
  part: "root" | "intermediate",
): Promise<Signer | undefined> {
  const keys = storageKeys(id, part);
  const [crt, key] = await Promise.all([storage.load(keys.crt), storage.load(keys.key)]);
  return crt === undefined || key === undefined ? undefined : toSigner(crt, keys.crt, key, keys.key);
}

async function keep(
  storage: Storage,
  id: string,
  part: "root" | "intermediate",
  signer: Signer,
): Promise<Signer> {
  const keys = storageKeys(id, part);
  // The certificate is stored last: a pair without a certificate counts as missing.
  await storage.store(keys.key, keyToPem(signer.key));
  await storage.store(keys.crt, certificatesToPem(signer.chain));
  return signer;
}

async function makeRoot(
  options: AuthorityOptions,
  storage: Storage,
  log: Logger,
  oldKey?: KeyObject,
): Promise<Signer> {
  const key = oldKey ?? (await makeKey("p256"));
  const now = Math.floor(Date.now() / 1000) * 1000;
  const certificate = await makeCertificate({
    commonName: options.rootCommonName,
    names: [],
    publicKey: createPublicKey(key),
    notBefore: new Date(now),
    notAfter: new Date(now + rootLifetimeMs),
    pathLength: 1,
    issuerKey: key,
  });
  log.info(`certificate authority ${options.id}: made root ${options.rootCommonName}`);
  return keep(storage, options.id, "root", { chain: [certificate], key });
}

async function makeIntermediate(
  options: AuthorityOptions,
  storage: Storage,
  root: Signer,
  log: Logger,
): Promise<Signer> {
  const [issuer] = root.chain;
  const now = Math.floor(Date.now() / 1000) * 1000;
  const leftMs = issuer.validToDate.getTime() - now;
  if (options.intermediateLifetimeMs >= leftMs) {
    throw new ServerError(
      "CERTIFICATE",
      `intermediate certificate lifetime must be less than actual root certificate lifetime (${Math.round(leftMs / 1000)}s)`,
    );
  }
  const key = await makeKey("p256");
  const certificate = await makeCertificate({
    commonName: options.intermediateCommonName,
    names: [],
    publicKey: createPublicKey(key),
    notBefore: new Date(now),
    notAfter: new Date(now + options.intermediateLifetimeMs),
    pathLength: 0,
    issuer,
    issuerKey: root.key,
  });
  log.info(`certificate authority ${options.id}: made intermediate, good until ${certificate.validTo}`);
  return keep(storage, options.id, "intermediate", { chain: [certificate], key });
}
