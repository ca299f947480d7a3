import { isJsonArray, type JsonValue } from "server-core/json/json-value";
import { privateRanges } from "../../values/private-ranges.ts";
import { inexpressible } from "../inexpressible.ts";
import { type Line, line, lineWith, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";

/** Writes one matcher. @param matcherName of the named matcher that it is in; "" within others */
type MatcherWriter = (value: JsonValue, path: string, matcherName: string) => Line[];

function listOfTexts(value: JsonValue, path: string): string[] {
  return new Members({ list: value }, path).texts("list") ?? [];
}

function words(name: string): MatcherWriter {
  return (value, path) => [line(name, ...(value === null ? [] : listOfTexts(value, path)))];
}

/** Ranges with the private ones by their one name. */
export function rangeWords(ranges: readonly string[]): string[] {
  const start = ranges.indexOf(privateRanges[0] ?? "");
  if (start === -1 || privateRanges.some((range, index) => ranges[start + index] !== range)) {
    return [...ranges];
  }
  const rest = ranges.slice(start + privateRanges.length);
  return [...ranges.slice(0, start), "private_ranges", ...rangeWords(rest)];
}

function ranges(name: string): MatcherWriter {
  return (value, path) => {
    const members = new Members(value, path);
    const list = members.texts("ranges") ?? [];
    members.done(`the matcher ${name}`);
    return [line(name, ...rangeWords(list))];
  };
}

/** `[name] pattern`: the name is left out when it is that of the matcher. */
function regexpWords(value: JsonValue, path: string, matcherName: string, key: readonly string[]): Word[] {
  const members = new Members(value, path);
  const name = members.text("name") ?? "";
  const pattern = members.text("pattern") ?? "";
  members.done("a regular expression");
  if (name === "" && matcherName !== "") {
    throw inexpressible(path, "a regular expression of a named matcher has a name");
  }
  return name === matcherName ? [...key, pattern] : [name, ...key, pattern];
}

function keyedRegexps(name: string): MatcherWriter {
  return (value, path, matcherName) =>
    new Members(value, path)
      .entries()
      .map(([key, each]) => line(name, ...regexpWords(each, `${path}/${key}`, matcherName, [key])));
}

/** Lines of `header`, for requests and responses. */
export function headerMatcherLines(value: JsonValue, path: string): Line[] {
  return new Members(value, path).entries().flatMap(([field, values]) => {
    if (values === null) {
      return [line("header", `!${field}`)];
    }
    const list = listOfTexts(values, `${path}/${field}`);
    if (list.length === 0) {
      throw inexpressible(`${path}/${field}`, "a header is matched by values, or by its absence (null)");
    }
    return list.map((each) => line("header", field, each));
  });
}

const query: MatcherWriter = (value, path) => {
  const pairs = new Members(value, path)
    .entries()
    .flatMap(([key, values]) => listOfTexts(values, `${path}/${key}`).map((each) => `${key}=${each}`));
  return [line("query", ...(pairs.length === 0 ? [""] : pairs))];
};

const expression: MatcherWriter = (value, path, matcherName) => {
  if (typeof value === "string") {
    // Several words are joined again, and have no name; within another matcher there is none to have.
    const mayBeRaw = value.split(" ").length > 1 && !/[\n\r\t`#\\]| {2}|^ | $|(^| )[{}]( |$)/.test(value);
    if (matcherName !== "" && !mayBeRaw) {
      throw inexpressible(path, "an expression of one word has a name");
    }
    return [line("expression", matcherName === "" ? { quoted: value } : { raw: value })];
  }
  const members = new Members(value, path);
  const name = members.text("name") ?? "";
  const expr = members.text("expr") ?? "";
  members.done("an expression");
  if (name !== matcherName) {
    throw inexpressible(`${path}/name`, `the name of an expression is that of its matcher, ${matcherName}`);
  }
  return [line("expression", { quoted: expr })];
};

const file: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const tryFiles = members.texts("try_files") ?? [];
  const lines: Line[] = [];
  for (const key of ["root", "try_policy"]) {
    const word = members.text(key);
    if (word !== undefined) {
      lines.push(line(key, word));
    }
  }
  const split = members.texts("split_path");
  if (split !== undefined) {
    lines.push(line("split_path", ...split));
  }
  members.done("the matcher file");
  return [lineWith(["file", ...tryFiles], lines)];
};

const tls: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const early = members.boolean("handshake_complete") === false;
  members.done("the matcher tls");
  return [line("tls", ...(early ? ["early_data"] : []))];
};

const urlPattern: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const lines: Line[] = [];
  const base = members.text("base_url");
  if (base !== undefined) {
    lines.push(line("base_url", base));
  }
  if (members.boolean("ignore_case") === true) {
    lines.push(line("ignore_case"));
  }
  const pattern = members.text("pattern") ?? "";
  members.done("the matcher url_pattern");
  return [lineWith(["url_pattern", pattern], lines)];
};

const vars: MatcherWriter = (value, path) =>
  new Members(value, path)
    .entries()
    .map(([key, values]) => line("vars", key, ...listOfTexts(values, `${path}/${key}`)));

const not: MatcherWriter = (value, path) => {
  if (!isJsonArray(value)) {
    throw inexpressible(path, "a list is expected");
  }
  return value.map((each, index) => {
    const lines = matcherLines(each, `${path}/${index}`, "");
    const [only] = lines;
    return lines.length === 1 && only !== undefined
      ? { ...only, words: ["not", ...only.words] }
      : lineWith(["not"], lines);
  });
};

/** Every matcher that a serverfile has: the one list. */
const writers: Readonly<Record<string, MatcherWriter>> = {
  client_ip: ranges("client_ip"),
  expression,
  file,
  header: headerMatcherLines,
  header_regexp: keyedRegexps("header_regexp"),
  host: words("host"),
  method: words("method"),
  not,
  path: words("path"),
  path_regexp: (value, path, matcherName) => [
    line("path_regexp", ...regexpWords(value, path, matcherName, [])),
  ],
  protocol: (value, path) => [line("protocol", ...listOfTexts([value], path))],
  query,
  remote_ip: ranges("remote_ip"),
  tls,
  url_pattern: urlPattern,
  vars,
  vars_regexp: keyedRegexps("vars_regexp"),
};

/**
 * The lines of a set of matchers.
 * @param matcherName what the named matcher that they make is called; "" when they make none
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function matcherLines(set: JsonValue, path: string, matcherName: string): Line[] {
  return new Members(set, path).entries().flatMap(([name, value]) => {
    const writer = Object.hasOwn(writers, name) ? writers[name] : undefined;
    if (writer === undefined) {
      throw inexpressible(`${path}/${name}`, `there is no matcher ${name} in serverfiles`);
    }
    return writer(value, `${path}/${name}`, matcherName);
  });
}
