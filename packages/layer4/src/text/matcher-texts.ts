// Text forms of connection matchers, for reading and writing:
//
// | text | JSON |
// |---|---|
// | `ssh` | `{ "ssh": {} }` |
// | `remote_ip 10.0.0.0/8` | `{ "remote_ip": { "ranges": ["10.0.0.0/8"] } }` |
// | `clock 08:00:00 17:00:00` | `{ "clock": { "after": "08:00:00", "before": "17:00:00" } }` |
// | `tls sni example.com` | `{ "tls": { "sni": ["example.com"] } }` |
// | `postgres { user app shop }` | `{ "postgres": { "user": { "app": ["shop"] } } }` |

import type { JsonValue } from "server-core/json/json-value";
import type { Token } from "serverfile/lexer/token";
import { TokenCursor } from "serverfile/lexer/token-cursor";
import { readMatcherSet } from "serverfile/matchers/matcher-set";
import type { ReadModule } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { MatcherSetWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import * as fields from "serverfile/values/block-fields";
import { childOf, type Draft, type DraftValue, listOf, onlyGiven, setMember } from "serverfile/values/draft";
import { parseInteger } from "serverfile/values/parse-number";
import { rangeWords, withPrivateRanges } from "serverfile/values/private-ranges";
import { readBlock } from "./text-module.ts";

/** Text form of a matcher, whose config may be any JSON. */
interface MatcherText {
  /** @param cursor on the matcher's name */
  read(cursor: TokenCursor, readModule: ReadModule): DraftValue;
  write(value: JsonValue, path: string, matcherLines: MatcherSetWriter): Line;
}

/** A matcher without arguments, such as `ssh`. */
const bare: Omit<MatcherText, "write"> = {
  read(cursor) {
    cursor.noMoreArguments();
    return {};
  },
};

/** A matcher whose config is an object. */
function ofMembers(
  read: (cursor: TokenCursor) => Draft,
  write: (members: Members) => { readonly words?: readonly string[]; readonly lines?: readonly Line[] },
  name: string,
): MatcherText {
  return {
    read,
    write(value, path) {
      const members = new Members(value, path);
      const { words = [], lines = [] } = write(members);
      members.done(`the matcher ${name}`);
      return lineWith([name, ...words], lines);
    },
  };
}

/** Text form of a matcher without options. */
function named(name: string): MatcherText {
  return ofMembers(bare.read as (cursor: TokenCursor) => Draft, () => ({}), name);
}

/** `remote_ip 10.0.0.0/8 private_ranges`. */
function ranges(name: string): MatcherText {
  const read = (cursor: TokenCursor) => ({ ranges: cursor.someArguments().flatMap(withPrivateRanges) });
  return ofMembers(read, (members) => ({ words: rangeWords(members.texts("ranges") ?? []) }), name);
}

/** Parses the words after the name as 32-bit integers. @throws ServerError CONFIG_ADAPTER */
function numbers(cursor: TokenCursor): number[] {
  return cursor
    .someArguments()
    .map((word) => fields.parsed(cursor, word, (each) => parseInteger(each, 32), "invalid number '%s'"));
}

/** A list to which each line appends its values. */
function appended(path: string, values: (cursor: TokenCursor) => readonly DraftValue[]): fields.Row {
  const read: fields.FieldReader = (cursor, draft) => void listOf(draft, path).push(...values(cursor));
  return fields.row(path, read, fields.wordsOf.numbers);
}

const words = (cursor: TokenCursor) => cursor.someArguments();

/** A matcher with only options in a block; some options have their own writer. */
function ofBlock(
  name: string,
  options: fields.FieldReaders,
  more: (members: Members) => readonly Line[] = () => [],
): MatcherText {
  const read = (cursor: TokenCursor) => {
    cursor.noMoreArguments();
    return readBlock(cursor, options);
  };
  return ofMembers(read, (members) => ({ lines: [...more(members), ...fieldLines(members, options)] }), name);
}

/**
 * `clock 08:00:00 17:00:00 Europe/Berlin`. `clock after 08:00:00` and `clock before 08:00:00` leave an end
 * open; they are written back with both ends.
 */
const clock = ofMembers(
  (cursor) => {
    const [first = "", second = "", timezone = "", ...more] = cursor.remainingArguments();
    if (second === "" || more.length > 0) {
      throw cursor.argumentError();
    }
    if (/^(?:before|till|to|until)$/i.test(first)) {
      return onlyGiven({ after: "00:00:00", before: second, timezone });
    }
    return /^(?:after|from)$/i.test(first)
      ? onlyGiven({ after: second, before: "00:00:00", timezone })
      : onlyGiven({ after: first, before: second, timezone });
  },
  (members) => ({
    words: [
      members.text("after") ?? "00:00:00",
      members.text("before") ?? "00:00:00",
      ...[members.text("timezone") ?? []].flat(),
    ],
  }),
  "clock",
);

/** `regexp <pattern> [count] [hex]`, the options in either order. */
const regexp = ofMembers(
  (cursor) => {
    const [pattern = "", ...options] = cursor.someArguments();
    const draft: Draft = onlyGiven({ pattern });
    for (const option of options) {
      if (option === "hex" && draft.hex === undefined) {
        draft.hex = true;
      } else if (draft.count === undefined) {
        draft.count = fields.parsed(cursor, option, (word) => parseInteger(word, 16), "parsing regexp count");
      } else {
        throw cursor.error(`malformed regexp option: unexpected argument '${option}'`);
      }
    }
    return onlyGiven(draft);
  },
  (members) => ({
    words: [
      members.text("pattern") ?? "",
      ...[members.number("count") ?? []].flat().map(String),
      ...(members.boolean("hex") === true ? ["hex"] : []),
    ],
  }),
  "regexp",
);

const socks4 = ofBlock("socks4", {
  commands: appended("commands", words),
  networks: appended("networks", (cursor) => words(cursor).flatMap(withPrivateRanges)),
  ports: appended("ports", numbers),
});

const socks5 = ofBlock("socks5", { auth_methods: appended("auth_methods", numbers) });

const winbox = ofBlock("winbox", {
  modes: appended("modes", words),
  username: fields.onlyText("username"),
  username_regexp: fields.onlyText("username_regexp"),
});

/** `tls enabled`, `tls disabled` or `tls *`, which means both and is the default. */
const readPostgresTls: fields.FieldReader = (cursor, draft) => {
  const value = cursor.onlyArgument();
  if (!["enabled", "disabled", "*"].includes(value)) {
    throw cursor.error(`malformed layer4 connection matcher 'postgres': unrecognized 'tls' value '${value}'`);
  }
  if (value !== "*") {
    draft.tls = value;
  }
};

const postgres = ofBlock(
  "postgres",
  {
    user: (line, draft) => {
      const user = childOf(draft, "user");
      const name = line.argument();
      const present = user[name];
      const more = line.remainingArguments();
      user[name] =
        Array.isArray(present) || more.length > 0
          ? [...(Array.isArray(present) ? present : []), ...more]
          : null;
    },
    client: appended("client", words),
    tls: fields.row("tls", readPostgresTls, fields.wordsOf.text),
  },
  (members) =>
    (members.child("user")?.entries() ?? []).map(([name, databases]) =>
      line("user", name, ...(Array.isArray(databases) ? databases.map(String) : [])),
    ),
);

/**
 * `vars name value value…`. Several lines are read as one matcher, but a matcher with several names cannot be written
 * as text.
 */
const vars: MatcherText = {
  read(cursor) {
    const draft: Draft = {};
    // The cursor has all lines of this matcher.
    do {
      const name = cursor.argument();
      listOf(draft, name).push(...cursor.someArguments());
    } while (cursor.next());
    return draft;
  },
  write(value, path) {
    const members = new Members(value, path);
    const [first, ...more] = members.entries();
    if (first === undefined || more.length > 0) {
      throw inexpressible(path, "the matcher vars is for one name");
    }
    return line("vars", first[0], ...(Array.isArray(first[1]) ? first[1].map(String) : []));
  },
};

/** `vars_regexp [name] variable pattern`. Without a name, captures get the name of the named matcher. */
const varsRegexp: MatcherText = {
  read(cursor) {
    const draft: Draft = {};
    // The cursor has all lines of this matcher.
    do {
      const [first = "", second = "", third, ...more] = cursor.someArguments();
      if (second === "" || more.length > 0) {
        throw cursor.argumentError();
      }
      const [name, key, pattern] =
        third === undefined ? [cursor.matcherName, first, second] : [first, second, third];
      setMember(draft, key, { ...(name && { name }), pattern });
    } while (cursor.next());
    return draft;
  },
  write(value, path) {
    const [first, ...more] = new Members(value, path).childEntries();
    if (first === undefined || more.length > 0) {
      throw inexpressible(path, "the matcher vars_regexp is for one name");
    }
    const [key, members] = first;
    const [name, pattern] = [members.text("name") ?? "", members.text("pattern") ?? ""];
    members.done("the matcher vars_regexp");
    // Without the empty name, the captures would get the name of the set.
    return name === "" ? line("vars_regexp", "", key, pattern) : line("vars_regexp", name, key, pattern);
  },
};

const remoteIpList = ofMembers(
  (cursor) => onlyGiven({ remote_ip_file: cursor.onlyArgument() }),
  (members) => ({ words: [members.text("remote_ip_file") ?? ""] }),
  "remote_ip_list",
);

const dnsFields = ["name", "type", "class"] as const;

/** `allow example.com. A IN`: name, type and class. `*` means any, and so do missing words. */
function dnsRule(list: "allow" | "deny", suffix: "" | "_regexp"): fields.FieldReader {
  return (cursor, draft) => {
    const given = cursor.someArguments();
    if (given.length > dnsFields.length) {
      throw cursor.argumentError();
    }
    const rule: Draft = {};
    for (const [index, word] of given.entries()) {
      if (word !== "*") {
        rule[`${dnsFields[index]}${suffix}`] = word;
      }
    }
    listOf(draft, list).push(onlyGiven(rule));
  };
}

/**
 * Writes the form that `dnsRule` reads. @throws ServerError CONFIG_INEXPRESSIBLE for a rule with texts and expressions
 */
function dnsRuleLine(list: string, rule: Members): Line {
  const [exact, patterns] = ["", "_regexp"].map((suffix) =>
    dnsFields.map((field) => rule.text(`${field}${suffix}`) ?? ""),
  ) as [string[], string[]];
  rule.done("a rule of the matcher dns");
  const isPattern = patterns.some((each) => each !== "");
  if (isPattern && exact.some((each) => each !== "")) {
    throw inexpressible(rule.path, "a text says texts or expressions in one rule, not both");
  }
  const shown = (isPattern ? patterns : exact).map((each) => each || "*");
  const last = shown.findLastIndex((each) => each !== "*");
  return line(`${list}${isPattern ? "_regexp" : ""}`, ...shown.slice(0, Math.max(1, last + 1)));
}

const dns = ofBlock(
  "dns",
  {
    allow: dnsRule("allow", ""),
    allow_regexp: dnsRule("allow", "_regexp"),
    deny: dnsRule("deny", ""),
    deny_regexp: dnsRule("deny", "_regexp"),
    default_deny: fields.flag("default_deny"),
    prefer_allow: fields.flag("prefer_allow"),
  },
  (members) =>
    ["allow", "deny"].flatMap((list) =>
      (members.children(list) ?? []).map((rule) => dnsRuleLine(list, rule)),
    ),
);

const rdpBlock = ofBlock("rdp", {
  cookie_hash: fields.onlyText("cookie_hash"),
  cookie_hash_regexp: fields.onlyText("cookie_hash_regexp"),
  custom_info: fields.onlyText("custom_info"),
  custom_info_regexp: fields.onlyText("custom_info_regexp"),
  cookie_ip: appended("cookie_ips", (cursor) => words(cursor).flatMap(withPrivateRanges)),
  cookie_port: appended("cookie_ports", numbers),
});

const rdp: MatcherText = {
  ...rdpBlock,
  read(cursor, readModule) {
    const draft = rdpBlock.read(cursor, readModule) as Draft;
    const kinds = new Set(Object.keys(draft).map((name) => name.replace(/_(?:regexp|ips|ports)$/, "")));
    if (kinds.size > 1) {
      throw cursor.error("rdp: cookie_hash, cookie_ip with cookie_port, and custom_info can't be combined");
    }
    return draft;
  },
};

/** Text forms of handshake matchers (`tls.handshake_match`). */
const handshakes: Readonly<Record<string, MatcherText>> = {
  alpn: listOfNames("alpn"),
  sni: listOfNames("sni"),
  sni_regexp: ofMembers(
    (cursor) => {
      const [first = "", second] = cursor.someArguments();
      return onlyGiven(second === undefined ? { pattern: first } : { name: first, pattern: second });
    },
    (members) => ({ words: [...[members.text("name") ?? []].flat(), members.text("pattern") ?? ""] }),
    "sni_regexp",
  ),
  local_ip: ranges("local_ip"),
  remote_ip: {
    read(cursor) {
      const draft: Draft = {};
      for (const word of cursor.someArguments()) {
        const isNot = word.startsWith("!");
        listOf(draft, isNot ? "not_ranges" : "ranges").push(
          ...withPrivateRanges(isNot ? word.slice(1) : word),
        );
      }
      return draft;
    },
    write(value, path) {
      const members = new Members(value, path);
      const inside = rangeWords(members.texts("ranges") ?? []);
      const outside = rangeWords(members.texts("not_ranges") ?? []).map((range) => `!${range}`);
      members.done("the matcher remote_ip");
      return line("remote_ip", ...inside, ...outside);
    },
  },
};

/** A matcher whose JSON is a list of texts: `sni a.example b.example`. */
function listOfNames(name: string): MatcherText {
  return {
    read: (cursor) => cursor.someArguments(),
    write(value, path) {
      if (!Array.isArray(value)) {
        throw inexpressible(path, "a list is expected");
      }
      return line(name, ...value.map(String));
    },
  };
}

/** Reads a set of handshake matchers. @param cursor on the word before the set. @throws ServerError CONFIG_ADAPTER */
export function readHandshakeSet(cursor: TokenCursor, readModule: ReadModule): Draft {
  return readSet(cursor, readModule, { texts: handshakes, namespace: "tls.handshake_match" });
}

/** @throws ServerError CONFIG_INEXPRESSIBLE */
export function handshakeLines(set: JsonValue, path: string, matcherLines: MatcherSetWriter): Line[] {
  return setLines(set, path, handshakes, matcherLines);
}

/** Text forms of all connection matchers, by name. */
const texts4: Readonly<Record<string, MatcherText>> = {
  clock,
  crowdsec: named("crowdsec"),
  dns,
  http: {
    read: (cursor, readModule) => {
      const set = readMatcherSet(cursor, readModule);
      return [set];
    },
    write(value, path, matcherLines) {
      return oneSet("http", value, path, (set, setPath) => matcherLines(set, setPath, ""));
    },
  },
  local_ip: ranges("local_ip"),
  not: {
    read: (cursor, readModule) => [readLayer4Set(cursor, readModule)],
    write(value, path, matcherLines) {
      return oneSet("not", value, path, (set, setPath) => layer4SetLines(set, setPath, matcherLines));
    },
  },
  postgres,
  proxy_protocol: named("proxy_protocol"),
  rdp,
  regexp,
  remote_ip: ranges("remote_ip"),
  remote_ip_list: remoteIpList,
  socks4,
  socks5,
  ssh: named("ssh"),
  tls: {
    read: readHandshakeSet,
    write: (value, path, matcherLines) => lineWith(["tls"], handshakeLines(value, path, matcherLines)),
  },
  vars,
  vars_regexp: varsRegexp,
  winbox,
  xmpp: named("xmpp"),
};

/** Writes a matcher whose JSON is a list of sets. A text can express only one set. */
function oneSet(
  name: string,
  value: JsonValue,
  path: string,
  write: (set: JsonValue, path: string) => Line[],
): Line {
  if (!Array.isArray(value) || value.length !== 1) {
    throw inexpressible(path, `a text says the matcher ${name} with one set`);
  }
  return lineWith([name], write(value[0] as JsonValue, `${path}/0`));
}

/** The matchers that a set allows: connection matchers, or handshake matchers. */
interface SetKind {
  readonly texts: Readonly<Record<string, MatcherText>>;
  readonly namespace: string;
}

/** Reads the matchers on the rest of the line, or in the following block. */
function readSet(cursor: TokenCursor, readModule: ReadModule, { texts: known, namespace }: SetKind): Draft {
  const lines = new Map<string, readonly Token[]>();
  for (const outer = cursor.nesting; cursor.nextArgument() || cursor.nextInBlock(outer); ) {
    const name = cursor.value;
    if (lines.has(name)) {
      throw cursor.error(`duplicate matcher module '${name}'`);
    }
    lines.set(name, cursor.nextSegment());
  }
  const set: Draft = {};
  for (const [name, tokens] of lines) {
    const own = new TokenCursor(tokens, cursor.matcherName);
    own.next();
    if (!Object.hasOwn(known, name)) {
      const id = `${namespace}.${name}`;
      throw own.error(`getting module named '${id}': module not registered: ${id}`);
    }
    setMember(set, name, (known[name] as MatcherText).read(own, readModule));
  }
  return set;
}

/**
 * Writes the form that `readSet` reads, one matcher per line. @throws ServerError CONFIG_INEXPRESSIBLE for an unknown
 * matcher
 */
function setLines(
  set: JsonValue,
  path: string,
  known: Readonly<Record<string, MatcherText>>,
  matcherLines: MatcherSetWriter,
): Line[] {
  return new Members(set, path).entries().map(([name, value]) => {
    if (!Object.hasOwn(known, name)) {
      throw inexpressible(`${path}/${name}`, `there is no matcher ${name} in serverfiles`);
    }
    return (known[name] as MatcherText).write(value, `${path}/${name}`, matcherLines);
  });
}

/** Reads a set of connection matchers. @param cursor on the word before the set. @throws ServerError CONFIG_ADAPTER */
export function readLayer4Set(cursor: TokenCursor, readModule: ReadModule): Draft {
  return readSet(cursor, readModule, { texts: texts4, namespace: "layer4.matchers" });
}

/** @throws ServerError CONFIG_INEXPRESSIBLE */
export function layer4SetLines(set: JsonValue, path: string, matcherLines: MatcherSetWriter): Line[] {
  return setLines(set, path, texts4, matcherLines);
}
