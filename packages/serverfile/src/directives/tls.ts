import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { readClientAuth } from "../modules/tls/client-auth.ts";
import { dnsChallengeFields } from "../modules/tls/issuers.ts";
import type { DirectiveResult } from "../routes/site-results.ts";
import { implicitAcmeIssuers } from "../tls/acme-defaults.ts";
import { type FieldReader, parsed } from "../values/block-fields.ts";
import { type Draft, listOf, setAt } from "../values/draft.ts";
import { parseFloatingPoint } from "../values/parse-number.ts";
import type { Directive, DirectiveContext } from "./directive.ts";

/** TLS versions that a serverfile may name. */
const protocols = ["tls1.2", "tls1.3"];
/** Key exchanges that a serverfile may name. */
const curves = new Set(["x25519mlkem768", "x25519", "secp256r1", "secp384r1", "secp521r1"]);
/** Allowed cipher suites: those of TLS 1.3 without CCM, and ECDHE suites of TLS 1.2. */
const ciphers = new Set([
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
  "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
  "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
]);

/** Collects the lines of one `tls` directive. */
class TlsReader {
  /** Members of the site's connection policy. */
  readonly policy: Draft = {};
  readonly results: DirectiveResult[] = [];
  /** Folders to load certificates from. */
  readonly folders: string[] = [];
  /** Issuers from the `issuer` lines. */
  readonly issuers: Draft[] = [];
  /** Modules from the `get_certificate` lines. */
  readonly managers: Draft[] = [];
  /** Lines that need a DNS provider. */
  readonly dnsLines: string[] = [];
  /** Members of the ACME issuer from short lines such as `ca`; undefined without such a line. */
  acme: Draft | undefined;
  /** True for `tls internal`. */
  isInternal = false;
  /** Type of private keys; "" for the default. */
  keyType = "";
  onDemand = false;
  reusePrivateKeys = false;
  forceAutomate = false;
  /** A certificate is renewed when the rest of its lifetime is less than this fraction; 0: the default. */
  renewalWindowRatio = 0;
  readonly #readModule: ReadModule;
  readonly #dns: Readonly<Record<string, FieldReader>>;
  readonly #hasGlobalDns: boolean;

  constructor({ readModule, options }: DirectiveContext) {
    this.#readModule = readModule;
    this.#dns = dnsChallengeFields("challenges.dns", readModule);
    this.#hasGlobalDns = options.dns !== undefined;
  }

  acmeIssuer(): Draft {
    this.acme ??= {};
    return this.acme;
  }

  /** Returns the arguments of the line. @throws ServerError for another number of arguments */
  exactly(cursor: TokenCursor, count: number): string[] {
    const words = cursor.remainingArguments();
    if (words.length !== count) {
      throw cursor.argumentError();
    }
    return words;
  }

  /** `protocols min [max]`. @throws ServerError for an unknown version */
  readProtocols(cursor: TokenCursor): void {
    const words = cursor.remainingArguments();
    if (words.length === 0) {
      throw cursor.error("protocols requires one or two arguments");
    }
    for (const word of words.slice(0, 2)) {
      if (!protocols.includes(word)) {
        throw cursor.error(`wrong protocol name or protocol not supported: '${word}'`);
      }
    }
    const [min = "", max] = words;
    this.policy.protocol_min = min;
    if (max !== undefined) {
      this.policy.protocol_max = max;
    }
  }

  /** Reads a list of known names. @param fault start of the error message for an unknown name @throws ServerError */
  readList(cursor: TokenCursor, member: string, known: ReadonlySet<string>, fault: string): void {
    while (cursor.nextArgument()) {
      if (!known.has(cursor.value)) {
        throw cursor.error(`${fault}: '${cursor.value}'`);
      }
      listOf(this.policy, member).push(cursor.value);
    }
  }

  /** Reads `dns provider …`; the provider may be missing if the global option `dns` names a provider. */
  readProvider(cursor: TokenCursor): void {
    if (cursor.countRemainingArguments() === 0 && !this.#hasGlobalDns) {
      throw cursor.argumentError();
    }
    this.#dns.dns?.(cursor, this.acmeIssuer());
  }

  /** Reads a line of the DNS challenge. */
  readDns(cursor: TokenCursor): void {
    const name = cursor.value;
    this.dnsLines.push(name);
    this.#dns[name]?.(cursor, this.acmeIssuer());
  }

  /** Reads `dns_challenge_override_domain name`: the domain in which the challenge's record is set. */
  readOverride(cursor: TokenCursor): void {
    this.dnsLines.push(cursor.value);
    setAt(this.acmeIssuer(), "challenges.dns.override_domain", this.exactly(cursor, 1)[0] ?? "");
  }

  /** Reads `renewal_window_ratio 0.3`, above 0 and below 1. */
  readRatio(cursor: TokenCursor): void {
    const [word = ""] = this.exactly(cursor, 1);
    const ratio = parsed(cursor, word, parseFloatingPoint, "parsing renewal_window_ratio");
    if (ratio <= 0 || ratio >= 1) {
      throw cursor.error("renewal_window_ratio must be between 0 and 1 (exclusive)");
    }
    this.renewalWindowRatio = ratio;
  }

  /** Reads the module after the name of the line. */
  readModule(cursor: TokenCursor, namespace: string, inline: string): Draft {
    cursor.argument();
    return this.#readModule(cursor, namespace, inline);
  }

  /** Reads `client_auth { … }`: verification of client certificates. */
  readClientAuth(cursor: TokenCursor): void {
    this.policy.client_authentication = readClientAuth(cursor.segmentCursor(), this.#readModule);
  }

  /** Reads the current line of the block. */
  line(cursor: TokenCursor): void {
    const name = cursor.value;
    const read = Object.hasOwn(lineReaders, name) ? lineReaders[name] : undefined;
    if (read === undefined) {
      throw cursor.error(`unknown subdirective: ${name}`);
    }
    read(this, cursor);
  }
}

/** Readers of all lines of the block, by name. */
const lineReaders: Readonly<Record<string, (tls: TlsReader, cursor: TokenCursor) => void>> = {
  protocols: (tls, cursor) => tls.readProtocols(cursor),
  ciphers: (tls, cursor) =>
    tls.readList(cursor, "cipher_suites", ciphers, "wrong cipher suite name or cipher suite not supported"),
  curves: (tls, cursor) => tls.readList(cursor, "curves", curves, "Wrong curve name or curve not supported"),
  client_auth: (tls, cursor) => tls.readClientAuth(cursor),
  alpn: (tls, cursor) => {
    tls.policy.alpn = cursor.someArguments();
  },
  load: (tls, cursor) => void tls.folders.push(...cursor.remainingArguments()),
  ca: (tls, cursor) => setAt(tls.acmeIssuer(), "ca", tls.exactly(cursor, 1)[0] ?? ""),
  ca_root: (tls, cursor) =>
    void listOf(tls.acmeIssuer(), "trusted_roots_pem_files").push(...tls.exactly(cursor, 1)),
  key_type: (tls, cursor) => {
    tls.keyType = tls.exactly(cursor, 1)[0] ?? "";
  },
  eab: (tls, cursor) => {
    const [key_id = "", mac_key = ""] = tls.exactly(cursor, 2);
    tls.acmeIssuer().external_account = { key_id, mac_key };
  },
  issuer: (tls, cursor) => void tls.issuers.push(tls.readModule(cursor, "tls.issuance", "module")),
  get_certificate: (tls, cursor) =>
    void tls.managers.push(tls.readModule(cursor, "tls.get_certificate", "via")),
  dns: (tls, cursor) => tls.readProvider(cursor),
  resolvers: (tls, cursor) => tls.readDns(cursor),
  propagation_delay: (tls, cursor) => tls.readDns(cursor),
  propagation_timeout: (tls, cursor) => tls.readDns(cursor),
  dns_ttl: (tls, cursor) => tls.readDns(cursor),
  dns_challenge_override_domain: (tls, cursor) => tls.readOverride(cursor),
  on_demand: (tls, cursor) => {
    cursor.noMoreArguments();
    tls.onDemand = true;
  },
  reuse_private_keys: (tls, cursor) => {
    cursor.noMoreArguments();
    tls.reusePrivateKeys = true;
  },
  insecure_secrets_log: (tls, cursor) => setAt(tls.policy, "insecure_secrets_log", cursor.argument()),
  renewal_window_ratio: (tls, cursor) => tls.readRatio(cursor),
};

/**
 * Reads the words on the line of `tls` itself. Two words are the files of a certificate and its key. One word is
 * `internal`, `force_automate` or an email address.
 * @throws ServerError CONFIG_ADAPTER
 */
function readFirstLine(context: DirectiveContext, tls: TlsReader, words: readonly string[]): void {
  const { cursor, state } = context;
  const [first = "", key, ...more] = words;
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  if (key !== undefined) {
    let tag = state.certificateTags.get(first);
    if (tag === undefined) {
      tag = `cert${state.certificateTags.size}`;
      state.certificateTags.set(first, tag);
      const list = [{ certificate: first, key, tags: [tag] }];
      tls.results.push({ kind: "certificates", loader: "load_files", list });
    }
    tls.policy.certificate_selection = { any_tag: [tag] };
  } else if (first === "internal") {
    tls.isInternal = true;
  } else if (first === "force_automate") {
    tls.forceAutomate = true;
  } else if (words.length === 1) {
    if (!first.includes("@")) {
      throw cursor.error("single argument must either be 'internal', 'force_automate', or an email address");
    }
    tls.acmeIssuer().email = first;
  }
}

/** @throws ServerError CONFIG_ADAPTER for settings of the DNS challenge without a provider */
function checkDnsProvider({ cursor, options }: DirectiveContext, tls: TlsReader): void {
  const challenges = tls.acme?.challenges as Draft | undefined;
  const dns = challenges?.dns as Draft | undefined;
  const hasProvider =
    dns?.provider !== undefined ||
    options.dns !== undefined ||
    (options.acmeDns !== undefined && options.acmeDns !== null);
  if (dns !== undefined && tls.dnsLines.length > 0 && !hasProvider) {
    throw cursor.error(
      `setting DNS challenge options [${tls.dnsLines.join(", ")}] requires a DNS provider (set with the 'dns' subdirective or 'acme_dns' global option)`,
    );
  }
}

/**
 * Issuers of the site; empty: the default issuers. @throws ServerError CONFIG_ADAPTER when short lines and `issuer` are
 * mixed
 */
function issuersOf({ cursor, options }: DirectiveContext, tls: TlsReader): Draft[] {
  if (tls.issuers.length > 0 && (tls.acme !== undefined || tls.isInternal)) {
    throw cursor.error(
      "cannot mix issuer subdirective (explicit issuers) with other issuer-specific subdirectives (implicit issuers)",
    );
  }
  if (tls.acme !== undefined && tls.isInternal) {
    throw cursor.error("cannot create both ACME and internal certificate issuers");
  }
  if (tls.issuers.length > 0) {
    return tls.issuers;
  }
  if (tls.acme !== undefined) {
    return implicitAcmeIssuers(tls.acme, options);
  }
  return tls.isInternal ? [{ module: "internal" }] : [];
}

/** `tls [email | internal | force_automate | cert key] { … }`: configures encryption and certificates of a site. */
export const tls: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const reader = new TlsReader(context);
  const words = cursor.remainingArguments();
  readFirstLine(context, reader, words);
  let hasBlock = false;
  while (cursor.nextInBlock(0)) {
    hasBlock = true;
    reader.line(cursor);
  }
  checkDnsProvider(context, reader);
  if (words.length === 0 && !hasBlock) {
    throw cursor.argumentError();
  }
  const { results } = reader;
  if (reader.folders.length > 0) {
    results.push({ kind: "certificates", loader: "load_folders", list: reader.folders });
  }
  for (const issuer of issuersOf(context, reader)) {
    results.push({ kind: "issuer", issuer });
  }
  if (reader.keyType !== "") {
    results.push({ kind: "keyType", keyType: reader.keyType });
  }
  if (reader.onDemand) {
    results.push({ kind: "onDemand" });
  }
  for (const manager of reader.managers) {
    results.push({ kind: "certificateManager", manager });
  }
  if (reader.reusePrivateKeys) {
    results.push({ kind: "reusePrivateKeys" });
  }
  if (reader.renewalWindowRatio > 0) {
    results.push({ kind: "renewalWindowRatio", ratio: reader.renewalWindowRatio });
  }
  if (reader.forceAutomate) {
    results.push({ kind: "forceAutomate" });
  }
  results.push({ kind: "connectionPolicy", policy: reader.policy });
  return results;
};
