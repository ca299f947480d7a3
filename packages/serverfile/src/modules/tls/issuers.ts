import type { TokenCursor } from "../../lexer/token-cursor.ts";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  onlyText,
  parsed,
  type Row,
  readFields,
  row,
  setFalse,
  texts,
  wordsFor,
  wordsOf,
} from "../../values/block-fields.ts";
import { type Draft, isEmptyDraft, listOf, onlyGiven, setAt } from "../../values/draft.ts";
import { parseDuration } from "../../values/parse-duration.ts";
import type { ModuleReader, ReadModule } from "../module-reader.ts";

/** A line with one duration. @param mayBeOff true: the line also accepts -1, which disables the setting */
function onlyDuration(path: string, name: string, mayBeOff = false): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.onlyArgument();
    const time =
      mayBeOff && word === "-1" ? -1 : parsed(cursor, word, parseDuration, `invalid ${name} duration %s`);
    setAt(draft, path, time);
  };
  return row(path, read, wordsOf.duration, "0");
}

/** Lines of the DNS challenge, without its provider. @param at path of the challenge in the issuer */
export function dnsChallengeRows(at: string): Readonly<Record<string, Row>> {
  return {
    resolvers: texts(`${at}.resolvers`),
    propagation_delay: onlyDuration(`${at}.propagation_delay`, "propagation_delay"),
    propagation_timeout: onlyDuration(`${at}.propagation_timeout`, "propagation_timeout", true),
    dns_ttl: onlyDuration(`${at}.ttl`, "dns_ttl"),
  };
}

/** Reads the lines of a DNS challenge: `dns cloudflare token`, or only `dns` for the provider in the global option. */
export function dnsChallengeFields(at: string, readModule: ReadModule): FieldReaders {
  return {
    ...dnsChallengeRows(at),
    dns: (cursor, draft) => {
      setAt(draft, `${at}.provider`, "");
      if (cursor.nextArgument()) {
        setAt(draft, `${at}.provider`, readModule(cursor, "dns.providers", "name"));
      }
    },
  };
}

/** Reads `[smallest] { root_common_name …; any_common_name … }`, after the name. @throws ServerError CONFIG_ADAPTER */
export function readPreferredChains(cursor: TokenCursor): Draft {
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    if (cursor.value !== "smallest") {
      throw cursor.error(`Invalid argument '${cursor.value}'`);
    }
    draft.smallest = true;
    cursor.noMoreArguments();
    if (cursor.nextInBlock(cursor.nesting)) {
      throw cursor.error("No more options are accepted when using the 'smallest' option");
    }
  }
  const names =
    (name: string, other: string): FieldReader =>
    (line, read) => {
      listOf(read, name).push(...line.someArguments());
      if (read[other] !== undefined) {
        throw line.error(`Can't set ${name} when ${other} is already set`);
      }
    };
  const fields = {
    root_common_name: names("root_common_name", "any_common_name"),
    any_common_name: names("any_common_name", "root_common_name"),
  };
  readFields(cursor, draft, fields, (word) => `Received unrecognized parameter '${word}'`);
  if (isEmptyDraft(draft)) {
    throw cursor.error("No options for preferred_chains received");
  }
  return draft;
}

/** A port on which challenges are answered. */
const port = (path: string) => integer(path, "invalid port %s");

/** `lifetime 90d`: requested lifetime of certificates. */
const certificateLifetime: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument();
  const time = parsed(cursor, word, parseDuration, "invalid lifetime %s");
  if (time < 0) {
    throw cursor.error(`lifetime must be >= 0: ${word}`);
  }
  setAt(draft, "certificate_lifetime", time);
};

/** `distributed false`: only the server that ordered the certificate answers the challenge. */
const distributed: FieldReader = (cursor, draft) => {
  if (cursor.argument() !== "false") {
    throw cursor.error("only accepted value is 'false'");
  }
  setFalse(draft, "challenges.distributed");
};

/** `trusted_roots file…`: root certificates for verifying the CA's own HTTPS server. */
const trustedRoots: FieldReader = (cursor, draft) =>
  setAt(draft, "trusted_roots_pem_files", cursor.remainingArguments());

/** Lines of `acme`, each of which sets one field. */
export const acmeFields: FieldReaders = {
  lifetime: row("certificate_lifetime", certificateLifetime, wordsOf.duration),
  test_dir: onlyText("test_ca"),
  email: onlyText("email"),
  profile: onlyText("profile"),
  timeout: onlyDuration("acme_timeout", "timeout"),
  disable_http_challenge: flag("challenges.http.disabled"),
  disable_tlsalpn_challenge: flag("challenges.tls-alpn.disabled"),
  distributed: row("challenges.distributed", distributed, wordsFor(false, "false")),
  alt_http_port: port("challenges.http.alternate_port"),
  alt_tlsalpn_port: port("challenges.tls-alpn.alternate_port"),
  trusted_roots: row("trusted_roots_pem_files", trustedRoots, wordsOf.texts),
  ...dnsChallengeRows("challenges.dns"),
  dns_challenge_override_domain: onlyText("challenges.dns.override_domain"),
};

/** `issuer acme [directory] { … }`. */
export const acmeIssuer: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    setAt(draft, "ca", cursor.value);
    cursor.noMoreArguments();
  }
  const fields: FieldReaders = {
    ...acmeFields,
    ...dnsChallengeFields("challenges.dns", readModule),
    dir: (line, read) => {
      if (read.ca !== undefined) {
        throw line.error(`directory is already specified: ${String(read.ca)}`);
      }
      setAt(read, "ca", line.onlyArgument());
    },
    eab: (line, read) => {
      const key_id = line.argument();
      read.external_account = { key_id, mac_key: line.onlyArgument() };
    },
    preferred_chains: (line, read) => {
      read.preferred_chains = readPreferredChains(line);
    },
  };
  readFields(cursor, draft, fields, (word) => `unrecognized ACME issuer property: ${word}`);
  return draft;
};

/** The lines of `internal`. */
export const internalFields = {
  ca: onlyText("ca"),
  lifetime: duration("lifetime"),
  sign_with_root: flag("sign_with_root"),
};

/** `issuer internal { ca …; lifetime …; sign_with_root }`. */
export const internalIssuer: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  readFields(cursor, draft, internalFields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
};

/** Lines of `zerossl`, each of which sets one field. */
export const zerosslFields: FieldReaders = {
  ...dnsChallengeRows("cname_validation"),
  validity_days: integer("validity_days", "invalid number of days %s"),
  alt_http_port: port("alternate_http_port"),
};

/** `issuer zerossl <key> { … }`. */
export const zerosslIssuer: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft = onlyGiven({ api_key: cursor.argument() });
  cursor.noMoreArguments();
  const fields = { ...zerosslFields, ...dnsChallengeFields("cname_validation", readModule) };
  readFields(cursor, draft, fields, (word) => `unrecognized zerossl issuer property: ${word}`);
  return draft;
};
