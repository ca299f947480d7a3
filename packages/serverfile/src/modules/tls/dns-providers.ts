import {
  type FieldReader,
  type FieldReaders,
  type Row,
  readFields,
  row,
  wordsOf,
} from "../../values/block-fields.ts";
import { childOf, type Draft, onlyGiven, setAt } from "../../values/draft.ts";
import { parseDuration } from "../../values/parse-duration.ts";
import type { ModuleReader } from "../module-reader.ts";

/** Lines of a provider's block, by name. */
type Rows = Readonly<Record<string, Row>>;

/** The text form of a provider. Source: the module of the same name of caddy-dns */
interface ProviderSyntax {
  /** Members for the words after the name, in order. */
  readonly words?: readonly string[];
  readonly lines: Rows;
  /** Older names of lines, each with its current name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Required members, each with the error message for a missing value. */
  readonly needed?: Readonly<Record<string, string>>;
}

/** Words that Go parses as a boolean. Source: Go's strconv.ParseBool */
const booleans = new Map(
  Object.entries({
    true: ["1", "t", "T", "TRUE", "true", "True"],
    false: ["0", "f", "F", "FALSE", "false", "False"],
  }).flatMap(([value, words]) => words.map((word) => [word, value === "true"] as const)),
);

function boolean(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.onlyArgument();
    const value = booleans.get(word);
    if (value === undefined) {
      throw cursor.error(`'${word}' is neither true nor false`);
    }
    draft[path] = value;
  };
  return row(path, read, wordsOf.boolean);
}

function text(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const name = cursor.value;
    if (draft[path] !== undefined) {
      throw cursor.error(`${name} already set`);
    }
    setAt(draft, path, cursor.onlyArgument());
  };
  return row(path, read, wordsOf.text);
}

/** A line with a duration; a number without a unit means seconds, as in older files. */
function time(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.onlyArgument();
    try {
      setAt(draft, path, parseDuration(/^\d+$/.test(word) ? `${word}s` : word));
    } catch (error) {
      throw cursor.error(`invalid duration '${word}'`, error);
    }
  };
  return row(path, read, wordsOf.duration);
}

function count(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const word = cursor.onlyArgument();
    if (!/^\d{1,9}$/.test(word)) {
      throw cursor.error(`'${word}' is no count`);
    }
    setAt(draft, path, Number(word));
  };
  return row(path, read, wordsOf.number);
}

const rows = (kind: (path: string) => Row, ...names: readonly string[]): Rows =>
  Object.fromEntries(names.map((name) => [name, kind(name)]));
const texts = (...names: readonly string[]) => rows(text, ...names);

const missingToken = { api_token: "missing API token" };
const tokenOnly = { words: ["api_token"], lines: texts("api_token"), needed: missingToken };

const accountLines = texts("username", "password", "subdomain", "server_url");
/** Lines of an acmedns account. */
export const accountRows: Rows = { ...accountLines, ...texts("fulldomain") };
const unknown = (word: string) => `unrecognized subdirective '${word}'`;

/** `config { a.example.com { username …; … } }` */
const accounts: FieldReader = (cursor, draft) => {
  cursor.noMoreArguments();
  const all = childOf(draft, "config");
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const account = childOf(all, cursor.value);
    cursor.noMoreArguments();
    readFields(cursor, account, accountRows, unknown);
  }
};

const syntaxes: Readonly<Record<string, ProviderSyntax>> = {
  acmedns: {
    words: ["config_file_path"],
    lines: { ...texts("config_file_path"), ...accountLines },
  },
  azure: {
    lines: texts("subscription_id", "resource_group_name", "tenant_id", "client_id", "client_secret"),
  },
  cloudflare: { words: ["api_token"], lines: texts("api_token", "zone_token"), needed: missingToken },
  desec: { lines: texts("token"), needed: { token: "missing token" } },
  digitalocean: {
    words: ["auth_token"],
    lines: { api_token: text("auth_token") },
    needed: { auth_token: "missing API token" },
  },
  duckdns: {
    words: ["api_token"],
    lines: texts("api_token", "override_domain", "resolver"),
    needed: { api_token: "DuckDNS missing API token" },
  },
  gandi: {
    words: ["bearer_token"],
    lines: texts("bearer_token"),
    needed: { bearer_token: "missing API token" },
  },
  godaddy: tokenOnly,
  googleclouddns: {
    lines: texts("gcp_project", "gcp_application_default"),
    needed: { gcp_project: "missing Google Cloud project ID" },
  },
  hetzner: tokenOnly,
  linode: { ...tokenOnly, lines: texts("api_token", "api_url", "api_version") },
  namecheap: {
    lines: texts("api_key", "user", "api_endpoint", "client_ip"),
    needed: { api_key: "missing API key", user: "missing user" },
  },
  ovh: { lines: texts("endpoint", "application_key", "application_secret", "consumer_key") },
  porkbun: {
    lines: texts("api_key", "api_secret_key"),
    needed: { api_key: "No api_key set", api_secret_key: "No api_secret_key set" },
  },
  powerdns: {
    words: ["server_url", "api_token", "server_id"],
    lines: texts("server_url", "api_token", "server_id"),
    needed: { server_url: "missing server URL", ...missingToken },
  },
  rfc2136: {
    lines: texts("key_name", "key", "key_alg", "server"),
    needed: {
      key: "rfc2136: missing key",
      key_name: "rfc2136: missing key_name",
      key_alg: "rfc2136: missing key_alg",
      server: "rfc2136: missing server",
    },
  },
  route53: {
    lines: {
      ...texts("region", "profile", "access_key_id", "secret_access_key", "session_token", "hosted_zone_id"),
      ...rows(count, "max_retries"),
      ...rows(time, "route53_max_wait"),
      ...rows(boolean, "wait_for_route53_sync", "skip_route53_sync_on_delete", "debug_logging"),
    },
    aliases: {
      aws_profile: "profile",
      token: "session_token",
      max_wait_dur: "route53_max_wait",
      wait_for_propagation: "wait_for_route53_sync",
    },
  },
  vultr: tokenOnly,
};

function readerOf(name: string, syntax: ProviderSyntax): ModuleReader {
  const { words = [], lines, aliases = {}, needed = {} } = syntax;
  const older = Object.entries(aliases).map(([alias, line]) => [alias, lines[line] as Row]);
  const fields: FieldReaders = {
    ...(name === "acmedns" && { config: accounts }),
    ...lines,
    ...Object.fromEntries(older),
  };
  return (cursor) => {
    cursor.next();
    const draft: Draft = {};
    for (const path of words) {
      if (cursor.nextArgument()) {
        setAt(draft, path, cursor.value);
      }
    }
    cursor.noMoreArguments();
    readFields(cursor, draft, fields, unknown);
    if (name === "route53") {
      // Caddy's module sets these defaults before it reads the block.
      setAt(draft, "region", draft.region ?? (process.env.AWS_REGION || "us-east-1"));
      draft.skip_route53_sync_on_delete ??= true;
      return onlyGiven(draft);
    }
    for (const [path, message] of Object.entries(needed)) {
      if (!draft[path]) {
        throw cursor.error(message);
      }
    }
    return draft;
  };
}

/** Readers of `dns <name> …`, by name. */
export const dnsProviders: Readonly<Record<string, ModuleReader>> = Object.fromEntries(
  Object.entries(syntaxes).map(([name, syntax]) => [name, readerOf(name, syntax)]),
);

/** Lines of each provider's block, under their current names. */
export const dnsProviderLines: Readonly<Record<string, Rows>> = Object.fromEntries(
  Object.entries(syntaxes).map(([name, syntax]) => [name, syntax.lines]),
);
