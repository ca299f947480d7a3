// Texts of handlers in the option `layer4`, read and written back. Each is a line with the handler's name,
// and mostly a block:
//
// | text | JSON |
// |---|---|
// | `echo` | `{ "handler": "echo" }` |
// | `proxy a:80 b:80` | two upstreams with one address each |
// | `proxy { upstream a:80 b:80 }` | one upstream with two addresses |
// | `throttle { latency 1s }` | `{ "handler": "throttle", "latency": 1000000000 }` |
// | `vars backend a` | `{ "handler": "vars", "backend": "a" }` |

import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ReadModule } from "serverfile/modules/module-reader";
import { readClientAuth } from "serverfile/modules/tls/client-auth";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { MatcherSetWriter } from "serverfile/to-text/matchers/matcher-writer";
import type { Members } from "serverfile/to-text/members";
import { caPoolLine } from "serverfile/to-text/modules/ca-pools";
import { clientAuthLine } from "serverfile/to-text/modules/client-auth";
import * as fields from "serverfile/values/block-fields";
import { childOf, type Draft, listOf, onlyGiven, setAt, setMember } from "serverfile/values/draft";
import { rangeWords, withPrivateRanges } from "serverfile/values/private-ranges";
import { handshakeLines, readHandshakeSet } from "./matcher-texts.ts";
import { blockModule, plain, readBlock, type TextModule } from "./text-module.ts";

/** A field with a fixed set of words; the error message lists them. */
function oneOf(path: string, values: readonly string[]): fields.Row {
  const read: fields.FieldReader = (cursor, draft) => {
    const value = cursor.onlyArgument();
    if (!values.includes(value)) {
      throw cursor.error(`unrecognized value '${value}': one of ${values.join(", ")}`);
    }
    setAt(draft, path, value);
  };
  return fields.row(path, read, fields.wordsOf.text, "");
}

/** A list of ranges; the word `private_ranges` means the private ones, for reading and writing. */
function ranges(path: string): fields.Row {
  const read: fields.FieldReader = (cursor, draft) =>
    void listOf(draft, path).push(...cursor.someArguments().flatMap(withPrivateRanges));
  return fields.row(path, read, (members, key) => {
    const list = members.texts(key);
    return list && rangeWords(list);
  });
}

const upperCase: fields.FieldReader = (cursor, draft) =>
  setAt(draft, "fallback_policy", cursor.onlyArgument().toUpperCase());

const proxyProtocol = blockModule({
  allow: ranges("allow"),
  deny: ranges("deny"),
  fallback_policy: fields.row("fallback_policy", upperCase, fields.wordsOf.text),
  timeout: fields.duration("timeout", "parsing proxy_protocol timeout duration"),
});

/** Bytes per second, which may have a fraction. */
function rate(path: string): fields.Row {
  const read: fields.FieldReader = (cursor, draft) => {
    const value = Number(cursor.onlyArgument());
    if (!Number.isFinite(value) || value < 0) {
      throw cursor.error(`'${cursor.value}' is no number of bytes`);
    }
    setAt(draft, path, value);
  };
  return fields.row(path, read, fields.wordsOf.number);
}

/** Rate fields: for one connection, and for all connections together. */
const throttleRates = ["read_bytes_per_second", "total_read_bytes_per_second"];
/** Fields with bursts, in whole bytes. */
const throttleBursts = ["read_burst_size", "total_read_burst_size"];
const throttle = blockModule({
  latency: fields.duration("latency", "parsing throttle option 'latency' duration"),
  ...Object.fromEntries(throttleBursts.map((name) => [name, fields.integer(name, `parsing ${name}`, 32)])),
  ...Object.fromEntries(throttleRates.map((name) => [name, rate(name)])),
});

const socks5 = blockModule({
  bind_ip: fields.onlyText("bind_ip"),
  commands: fields.row(
    "commands",
    (cursor, draft) => void listOf(draft, "commands").push(...cursor.someArguments()),
    fields.wordsOf.texts,
  ),
  credentials: fields.row(
    "credentials",
    (cursor, draft) => {
      const given = cursor.someArguments();
      if (given.length % 2 !== 0) {
        throw cursor.argumentError();
      }
      for (let at = 0; at < given.length; at += 2) {
        setMember(childOf(draft, "credentials"), given[at] as string, given[at + 1] as string);
      }
    },
    (members, key) => {
      const value = members.take(key);
      return typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([name, password]) => [name, String(password)])
        : undefined;
    },
  ),
});

/** Lines of a connection policy that each set one field. */
const policyFields = {
  alpn: fields.texts("alpn"),
  ciphers: fields.texts("cipher_suites"),
  curves: fields.texts("curves"),
  default_sni: fields.onlyText("default_sni"),
  drop: fields.flag("drop"),
  fallback_sni: fields.onlyText("fallback_sni"),
};

/**
 * Reads `connection_policy { … }` of the handler `tls`: single fields, and the blocks `match` and `client_auth`.
 */
function readPolicy(cursor: TokenCursor, readModule: ReadModule): Draft {
  cursor.noMoreArguments();
  return readBlock(cursor, {
    ...policyFields,
    client_auth: (line, draft) => {
      draft.client_authentication = readClientAuth(line, readModule);
    },
    match: (line, draft) => {
      draft.match = readHandshakeSet(line, readModule);
    },
    protocols: (line, draft) => {
      const [min = "", max = "", ...more] = line.someArguments();
      if (more.length > 0) {
        throw line.argumentError();
      }
      Object.assign(draft, onlyGiven({ protocol_min: min, protocol_max: max }));
    },
  });
}

/** Writes the form that `readPolicy` reads. @throws ServerError CONFIG_INEXPRESSIBLE */
function policyLine(policy: Members, matcherLines: MatcherSetWriter): Line {
  const match = policy.take("match");
  const auth = policy.child("client_authentication");
  const [min, max] = [policy.text("protocol_min"), policy.text("protocol_max")];
  if (min === undefined && max !== undefined) {
    throw inexpressible(policy.pathOf("protocol_max"), "a text says it behind protocol_min");
  }
  const lines = [
    ...(match === undefined
      ? []
      : [lineWith(["match"], handshakeLines(match, policy.pathOf("match"), matcherLines))]),
    ...(auth === undefined ? [] : [clientAuthLine(auth)]),
    ...fieldLines(policy, policyFields),
    ...(min === undefined ? [] : [line("protocols", min, ...[max ?? []].flat())]),
  ];
  policy.done("a connection policy");
  return lineWith(["connection_policy"], lines);
}

const tls: TextModule = {
  read(cursor, { readModule }) {
    cursor.next();
    cursor.noMoreArguments();
    const policies: Draft[] = [];
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      if (cursor.value !== "connection_policy") {
        throw cursor.argumentError();
      }
      const own = cursor.segmentCursor();
      own.next();
      policies.push(readPolicy(own, readModule));
    }
    return policies.length === 0 ? {} : { connection_policies: policies };
  },
  write: (members, name, { matcherLines }) =>
    lineWith(
      [name],
      (members.children("connection_policies") ?? []).map((policy) => policyLine(policy, matcherLines)),
    ),
};

const subroute: TextModule = {
  read(cursor, readers) {
    cursor.next();
    cursor.noMoreArguments();
    return readers.routes(cursor);
  },
  write: (members, name, writers) => lineWith([name], writers.routes(members)),
};

const tee: TextModule = {
  read(cursor, readers) {
    cursor.next();
    cursor.noMoreArguments();
    const branch = readers.handlers(cursor);
    return branch.length === 0 ? {} : { branch };
  },
  write: (members, name, writers) => lineWith([name], writers.handlers(members.children("branch") ?? [])),
};

const vars: TextModule = {
  read(cursor) {
    cursor.next();
    const draft: Draft = {};
    const take = (name: string) => {
      draft[name] = scalar(cursor.onlyArgument());
    };
    if (cursor.nextArgument()) {
      take(cursor.value);
    }
    while (cursor.nextInBlock(0)) {
      take(cursor.value);
    }
    return draft;
  },
  write(members, name) {
    const lines = members.entries().map(([key, value]) => line(key, String(value)));
    const [only] = lines;
    return lines.length === 1 && only !== undefined ? line(name, ...only.words) : lineWith([name], lines);
  },
};

/** Parses a word as a scalar, as Caddy does: `8080` is a number, `true` a boolean, `08` and `1e3` are texts. */
function scalar(word: string): string | number | boolean {
  if (word === "true" || word === "false") {
    return word === "true";
  }
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(word) ? Number(word) : word;
}

/** A list in `tls`, to which each line appends its words. */
function tlsList(name: string): fields.Row {
  const read: fields.FieldReader = (cursor, draft) =>
    void listOf(childOf(draft, "tls"), name).push(...cursor.someArguments());
  return fields.row(`tls.${name}`, read, fields.wordsOf.texts);
}

/** Lines of an upstream that each set one field. `tls` alone enables TLS; each `tls_…` line does too. */
const upstreamFields: fields.FieldReaders = {
  tls: (cursor, draft) => {
    cursor.noMoreArguments();
    childOf(draft, "tls");
  },
  tls_client_auth: (cursor, draft) => {
    const [first = "", second, ...more] = cursor.someArguments();
    if (more.length > 0) {
      throw cursor.argumentError();
    }
    if (second === undefined) {
      setAt(draft, "tls.client_certificate_automate", first);
    } else {
      setAt(draft, "tls.client_certificate_file", first);
      setAt(draft, "tls.client_certificate_key_file", second);
    }
  },
  tls_curves: tlsList("curves"),
  tls_except_ports: tlsList("except_ports"),
  tls_insecure_skip_verify: fields.flag("tls.insecure_skip_verify"),
  tls_renegotiation: oneOf("tls.renegotiation", ["never", "once", "freely"]),
  tls_server_name: fields.onlyText("tls.server_name"),
  tls_timeout: fields.duration("tls.handshake_timeout", "parsing tls_timeout duration"),
  local_addr: fields.row(
    "local_address",
    (cursor, draft) => void listOf(draft, "local_address").push(...cursor.someArguments()),
    fields.wordsOf.texts,
  ),
  resolver_preference: oneOf("resolver_preference", ["ipv4_only", "ipv6_only", "ipv4_first", "ipv6_first"]),
  max_connections: fields.integer("max_connections", "parsing upstream option 'max_connections'", 32),
  weight: fields.integer("weight", "parsing upstream option 'weight'", 32),
};

/** `upstream a:80 { … }`: addresses are on the line, in `dial` lines, or both. */
function readUpstream(cursor: TokenCursor, readModule: ReadModule): Draft {
  const dial = cursor.remainingArguments();
  const draft = readBlock(cursor, {
    ...upstreamFields,
    dial: (line) => void dial.push(...line.someArguments()),
    tls_trust_pool: (line, made) => {
      line.argument();
      childOf(made, "tls").ca = readModule(line, "tls.ca_pool.source", "provider");
    },
  });
  return { ...draft, ...(dial.length > 0 && { dial }) };
}

/** Writes the form that `readUpstream` reads, with addresses on the line. @throws ServerError CONFIG_INEXPRESSIBLE */
function upstreamLine(upstream: Members): Line {
  const dial = upstream.texts("dial") ?? [];
  const tlsMembers = upstream.child("tls");
  const lines: Line[] = tlsMembers?.isEmpty === true ? [line("tls")] : [];
  const file = tlsMembers?.text("client_certificate_file");
  const automate = tlsMembers?.text("client_certificate_automate");
  const pool = tlsMembers?.child("ca");
  if (file !== undefined && automate !== undefined) {
    throw inexpressible(upstream.pathOf("tls"), "a text says one certificate of the client");
  }
  if (automate !== undefined || file !== undefined) {
    const key = tlsMembers?.text("client_certificate_key_file");
    lines.push(line("tls_client_auth", automate ?? file ?? "", ...(file === undefined ? [] : [key ?? ""])));
  }
  if (pool !== undefined) {
    lines.push(caPoolLine(pool, "tls_trust_pool"));
  }
  lines.push(...fieldLines(upstream, upstreamFields));
  upstream.done("an upstream");
  return lineWith(["upstream", ...dial], lines);
}

/** Lines of the proxy that each set one field. Names are flat, while the JSON members are nested. */
const proxyFields: fields.FieldReaders = {
  close_if_unhealthy: fields.flag("health_checks.active.close_if_unhealthy"),
  fail_duration: fields.duration("health_checks.passive.fail_duration", "parsing fail_duration duration"),
  health_fall: fields.integer("health_checks.active.fall", "parsing health_fall", 32),
  health_interval: fields.duration("health_checks.active.interval", "parsing health_interval duration"),
  health_port: fields.integer("health_checks.active.port", "parsing health_port", 32),
  health_rise: fields.integer("health_checks.active.rise", "parsing health_rise", 32),
  health_timeout: fields.duration("health_checks.active.timeout", "parsing health_timeout duration"),
  lb_try_duration: fields.duration("load_balancing.try_duration", "parsing lb_try_duration duration"),
  lb_try_interval: fields.duration("load_balancing.try_interval", "parsing lb_try_interval duration"),
  max_fails: fields.integer("health_checks.passive.max_fails", "parsing max_fails", 32),
  proxy_protocol: oneOf("proxy_protocol", ["v1", "v2"]),
  unhealthy_connection_count: fields.integer(
    "health_checks.passive.unhealthy_connection_count",
    "parsing unhealthy_connection_count",
    32,
  ),
};

/** `lb_policy random_choose 2`: a policy, and for `random_choose` a number. @throws ServerError CONFIG_ADAPTER */
function readPolicyName(cursor: TokenCursor): Draft {
  const [name = "", choose, ...more] = cursor.someArguments();
  const known = [
    "random",
    "random_choose",
    "least_conn",
    "round_robin",
    "weighted_round_robin",
    "first",
    "ip_hash",
  ];
  if (!known.includes(name)) {
    const id = `layer4.proxy.selection_policies.${name}`;
    throw cursor.error(`getting module named '${id}': module not registered: ${id}`);
  }
  const isNumber = choose === undefined || /^\d{1,9}$/.test(choose);
  if (more.length > 0 || !isNumber || (choose !== undefined && name !== "random_choose")) {
    throw cursor.argumentError();
  }
  return { policy: name, ...(choose !== undefined && { choose: Number(choose) }) };
}

/** Writes the form that `readPolicyName` reads. */
function policyWords(policy: Members | undefined): Line[] {
  if (policy === undefined) {
    return [];
  }
  const words = [policy.text("policy") ?? "", ...[policy.number("choose") ?? []].flat().map(String)];
  policy.done("a selection policy");
  return [line("lb_policy", ...words)];
}

/**
 * The handler `proxy`. If each upstream has one address and no settings, all addresses are on the handler's line.
 */
const proxy: TextModule = {
  read(cursor, { readModule }) {
    cursor.next();
    const upstreams: Draft[] = cursor.remainingArguments().map((dial) => ({ dial: [dial] }));
    const draft = readBlock(cursor, {
      ...proxyFields,
      lb_policy: (line, made) => setAt(made, "load_balancing.selection", readPolicyName(line)),
      upstream: (line) => {
        const own = line.segmentCursor();
        own.next();
        upstreams.push(readUpstream(own, readModule));
      },
    });
    return { ...draft, ...(upstreams.length > 0 && { upstreams }) };
  },
  write(members, name) {
    const upstreams = members.children("upstreams") ?? [];
    const balancing = members.child("load_balancing");
    const policy = balancing?.child("selection");
    const lines = [
      ...upstreams.map(upstreamLine),
      ...policyWords(policy),
      ...fieldLines(members, proxyFields),
    ];
    const plainWords = lines.map(({ words, block }) =>
      block === undefined && words.length === 2 ? words[1] : undefined,
    );
    const isShort = lines.length === upstreams.length && plainWords.every((word) => word !== undefined);
    return isShort ? { words: [name, ...plainWords.map((word) => word as string)] } : lineWith([name], lines);
  },
};

/** The handlers of the option `layer4`, by name. */
export const handlerTexts: Readonly<Record<string, TextModule>> = {
  close: plain,
  echo: plain,
  postgres_tls: plain,
  proxy,
  proxy_protocol: proxyProtocol,
  socks5,
  subroute,
  tee,
  throttle,
  tls,
  vars,
};
