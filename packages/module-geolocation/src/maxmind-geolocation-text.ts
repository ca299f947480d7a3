import {
  isJsonArray,
  line,
  lineWith,
  type MatcherReader,
  type MatcherWriter,
  Members,
  type ModuleText,
} from "server-module-api";

/** Lines whose words form a list. The document contains all these members; a missing line becomes null. */
const lists = [
  "allow_countries",
  "deny_countries",
  "allow_subdivisions",
  "deny_subdivisions",
  "allow_metro_codes",
  "deny_metro_codes",
  "allow_asn",
  "deny_asn",
] as const;

/** Source: porech/caddy-maxmind-geolocation */
const readMatcher: MatcherReader = (cursor) => {
  const words = new Map<string, string[]>(lists.map((name) => [name, []]));
  let path = "";
  while (cursor.next()) {
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      const list = words.get(cursor.value);
      if (list !== undefined) {
        list.push(...cursor.someArguments());
      } else if (cursor.value === "db_path") {
        path = cursor.onlyArgument();
      } else {
        throw cursor.error(`unexpected config parameter ${cursor.value}`);
      }
    }
  }
  const given = lists.map(
    (name) => [name, words.get(name)?.length ? (words.get(name) ?? []) : null] as const,
  );
  return { db_path: path, ...Object.fromEntries(given) };
};

const writeMatcher: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const lines = [line("db_path", members.text("db_path") ?? "")];
  for (const name of lists) {
    const words = members.look(name) === null ? members.take(name) : members.texts(name);
    if (isJsonArray(words) && words.length > 0) {
      lines.push(line(name, ...words.map(String)));
    }
  }
  members.done("the matcher maxmind_geolocation");
  return [lineWith(["maxmind_geolocation"], lines)];
};

/** Reads and writes the matcher in serverfiles. */
export const maxmindGeolocationMatcherText: ModuleText = { readMatcher, writeMatcher };
