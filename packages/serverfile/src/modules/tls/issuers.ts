import type { TokenCursor } from "../../lexer/token-cursor.ts";
import {
  duration,
  type FieldReader,
  flag,
  integer,
  onlyText,
  parsed,
  readFields,
  setFalse,
} from "../../values/block-fields.ts";
import { type Draft, isEmptyDraft, listOf, onlyGiven, setAt } from "../../values/draft.ts";
import { parseDuration } from "../../values/parse-duration.ts";
import { parseInteger } from "../../values/parse-number.ts";
import type { ModuleReader, ReadModule } from "../module-reader.ts";

/** A time on a line of its own. @param mayBeOff whether -1 turns it off */
export function onlyDuration(path: string, name: string, mayBeOff = false): FieldReader {
  return (cursor, draft) => {
    const word = cursor.onlyArgument();
    const time =
      mayBeOff && word === "-1" ? -1 : parsed(cursor, word, parseDuration, `invalid ${name} duration %s`);
    setAt(draft, path, time);
  };
}

/** The lines that say how the DNS challenge is done. @param at where it stands in the issuer */
export function dnsChallengeFields(
  at: string,
  readModule: ReadModule,
): Readonly<Record<string, FieldReader>> {
  return {
    dns: (cursor, draft) => {
      setAt(draft, `${at}.provider`, "");
      if (cursor.nextArgument()) {
        setAt(draft, `${at}.provider`, readModule(cursor, "dns.providers", "name"));
      }
    },
    propagation_delay: onlyDuration(`${at}.propagation_delay`, "propagation_delay"),
    propagation_timeout: onlyDuration(`${at}.propagation_timeout`, "propagation_timeout", true),
    resolvers: (cursor, draft) => setAt(draft, `${at}.resolvers`, cursor.someArguments()),
    dns_ttl: onlyDuration(`${at}.ttl`, "dns_ttl"),
  };
}

/** `[smallest] { root_common_name …; any_common_name … }`, after the name. @throws ServerError CONFIG_ADAPTER */
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

function port(path: string): FieldReader {
  return (cursor, draft) =>
    setAt(draft, path, parsed(cursor, cursor.argument(), parseInteger, "invalid port %s"));
}

/** `issuer acme [directory] { … }`. */
export const acmeIssuer: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    setAt(draft, "ca", cursor.value);
    cursor.noMoreArguments();
  }
  const fields: Readonly<Record<string, FieldReader>> = {
    ...dnsChallengeFields("challenges.dns", readModule),
    lifetime: (line, read) => {
      const word = line.onlyArgument();
      const time = parsed(line, word, parseDuration, "invalid lifetime %s");
      if (time < 0) {
        throw line.error(`lifetime must be >= 0: ${word}`);
      }
      setAt(read, "certificate_lifetime", time);
    },
    dir: (line, read) => {
      if (read.ca !== undefined) {
        throw line.error(`directory is already specified: ${String(read.ca)}`);
      }
      setAt(read, "ca", line.onlyArgument());
    },
    test_dir: onlyText("test_ca"),
    email: onlyText("email"),
    profile: onlyText("profile"),
    timeout: onlyDuration("acme_timeout", "timeout"),
    disable_http_challenge: flag("challenges.http.disabled"),
    disable_tlsalpn_challenge: flag("challenges.tls-alpn.disabled"),
    distributed: (line, read) => {
      if (line.argument() !== "false") {
        throw line.error("only accepted value is 'false'");
      }
      setFalse(read, "challenges.distributed");
    },
    alt_http_port: port("challenges.http.alternate_port"),
    alt_tlsalpn_port: port("challenges.tls-alpn.alternate_port"),
    eab: (line, read) => {
      const key_id = line.argument();
      read.external_account = { key_id, mac_key: line.onlyArgument() };
    },
    trusted_roots: (line, read) => setAt(read, "trusted_roots_pem_files", line.remainingArguments()),
    dns_challenge_override_domain: onlyText("challenges.dns.override_domain"),
    preferred_chains: (line, read) => {
      read.preferred_chains = readPreferredChains(line);
    },
  };
  readFields(cursor, draft, fields, (word) => `unrecognized ACME issuer property: ${word}`);
  return draft;
};

/** `issuer internal { ca …; lifetime …; sign_with_root }`. */
export const internalIssuer: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  const fields = {
    ca: onlyText("ca"),
    lifetime: duration("lifetime", ""),
    sign_with_root: flag("sign_with_root"),
  };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
};

/** `issuer zerossl <key> { … }`. */
export const zerosslIssuer: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft = onlyGiven({ api_key: cursor.argument() });
  cursor.noMoreArguments();
  const fields: Readonly<Record<string, FieldReader>> = {
    ...dnsChallengeFields("cname_validation", readModule),
    validity_days: integer("validity_days", "invalid number of days %s"),
    alt_http_port: port("alternate_http_port"),
  };
  readFields(cursor, draft, fields, (word) => `unrecognized zerossl issuer property: ${word}`);
  return draft;
};
